import type { OperationHandler } from "../../contracts/operation.ts";
import { OperationRunner, type OperationWatcher } from "../operation-runner.ts";
import { nextHandler } from "../operations/next-operation.ts";
import { deadlineHandler, sleepHandler } from "../operations/timer-operations.ts";
import { RunBounds } from "../run-bounds.ts";
import { RunCancellation } from "../run-cancellation.ts";
import type { ToEndParts } from "../run-ending.ts";
import { RunExit } from "../run-exit.ts";
import { type JournalWatcher, RunJournal } from "../run-journal.ts";
import { RunListeners } from "../run-listeners.ts";
import { RunRest } from "../run-rest.ts";
import { RunningClock } from "../running-clock.ts";
import { ScopeNode } from "../scope.ts";
import { ProgramRun } from "./program-run.ts";
import type { RunDriverOptions } from "./run-driver-options.ts";

// Owns how the parts of a run hang together: each gets those made before it, whole; what they have to say to
// those made after them goes through the one watcher. Does not own when anything happens.
// I1, I6 are kept by the journal, I2, I3 by the runner, I7, I11 by the exit, I8 by the exit for all of them.

/** Who hears what the parts of a run have to say. */
export interface RunWatcher extends JournalWatcher, OperationWatcher {
  /** The program has returned or thrown. */
  programEnded(): void;
}

/** What carries out one run. */
export interface RunParts<Definition> {
  readonly journal: RunJournal;
  readonly runner: OperationRunner;
  readonly program: ProgramRun<Definition>;
  readonly runningClock: RunningClock;
  readonly listeners: RunListeners;
  readonly cancellation: RunCancellation;
  readonly bounds: RunBounds;
  readonly rest: RunRest;
  readonly exit: RunExit;
  readonly toEndParts: ToEndParts;
}

/** Makes them all and starts none; reads the run's journal. Raises STORE_* errors. */
export function createRunParts<Definition>(
  options: RunDriverOptions<Definition>,
  watcher: RunWatcher,
): RunParts<Definition> {
  const { recorder, ownership, timers, dispatcher, call, cleanupMs, toResult, onGiven } = options;
  const root = new ScopeNode("");
  const listeners = new RunListeners();
  const runningClock = new RunningClock(timers);
  const journal = new RunJournal({ recorder, timers, watcher });
  const runner = new OperationRunner({ journal, dispatcher, watcher, onGiven });
  const cancellation = new RunCancellation({ root, timers, journal, cleanupMs });
  const known = { journal, runner, listeners, runningClock };
  const exit = new RunExit({ ...known, cancellation, ownership });
  const program = new ProgramRun({ ...known, call, root, timers, exit, watcher });
  const toEndParts: ToEndParts = (result) => ({
    durationMs: journal.runningMs,
    result: toResult(journal, result),
  });
  const bounds = new RunBounds({ ...known, exit, toEndParts });
  const { suspendsWhenWaiting } = options;
  const rest = new RunRest({ ...known, bounds, exit, program, suspendsWhenWaiting });
  return { ...known, cancellation, exit, program, toEndParts, bounds, rest };
}

/** The operations that need nothing but the run's journal and its clocks. */
export function ownHandlers<Definition>(
  { journal, runningClock }: RunParts<Definition>,
  { timers }: RunDriverOptions<Definition>,
): readonly OperationHandler[] {
  return [
    sleepHandler(timers),
    deadlineHandler(journal, runningClock),
    nextHandler(journal, runningClock),
  ];
}
