import { setTimeout as pause } from "node:timers/promises";
import type { RunState } from "../../fold/state/run-state.ts";
import { formatDuration } from "../../foundation/duration.ts";
import type { WorkflowRun } from "../run/owner/workflow-run.ts";
import { testEndless } from "./errors.ts";
import type { Stage } from "./stage.ts";

/** How a run on a stage is driven. */
export interface Drive {
  readonly stage: Stage;
  readonly run: Pick<WorkflowRun, "id" | "parted" | "state">;
  /** Most time on the clock of the stage, in ms. */
  readonly withinMs: number;
  /** How long in real ms what shows nowhere may take, such as loading code, before the clock jumps. */
  readonly momentMs: number;
  /** Whether the machine works for the run, after so much waiting; see createBusyCheck. */
  readonly isBusy: (waitedMs: number) => boolean;
  /** Whether the process was killed: nobody waits for it any more. */
  readonly isKilled: () => boolean;
  /** Called whenever nothing goes on but waiting; true when it has changed that. */
  readonly onQuiet: () => Promise<boolean>;
}

// More turns of the event loop in which nothing happens than any ready effect needs.
const QUIET_ROUNDS = 6;
/** Programs that take longer than that take their time from the clock, so that their time-outs come. */
const PROGRAM_MS = 1000;
/** What waits on a timer of the machine, such as for a lock, is given that long. */
const TIMER_MS = 250;
/** Jumps of the clock that are no small steps. */
const JUMP_MS = 1000;
const COUNTED = ["ProcessWrap", "PipeWrap", "Timeout"] as const;
const MOST_MOMENTS = 4;
const LAST_MOMENT_MS = 3000;
/**
 * Moves the clock of a stage on whenever nothing else happens, until run and process have parted. While programs of the
 * machine work, and files are read, the clock stands; from a second on it goes with them. Raises TEST_RUN_ENDLESS.
 */
export async function driveRun(drive: Drive): Promise<void> {
  const { stage, run, withinMs, isBusy, isKilled, onQuiet } = drive;
  let hasParted = false;
  const parted = () => {
    hasParted = true;
  };
  run.parted.then(parted, parted);
  const isOver = () => hasParted || isKilled();
  const jumps = { inARow: 0, since: -1 };
  while (!isOver()) {
    await becomeQuiet(stage, isOver, isBusy);
    // What belongs to the process is closed: that takes its real time, and no other.
    if (isLeft(run.state)) await pause(1);
    if (isOver() || isLeft(run.state) || (await onQuiet())) continue;
    const dueMs = stage.time.nextDueMs ?? Infinity;
    // What is loaded meanwhile shows nowhere: it gets a while before the clock jumps.
    if (dueMs - stage.time.monotonic() >= JUMP_MS && (await hasMoved(drive, jumps))) continue;
    if (dueMs > withinMs) throw endless(drive);
    stage.time.fireNext();
  }
}

/** Whether the last event of this process is written. */
function isLeft({ phase }: Pick<RunState, "phase">): boolean {
  return phase.status === "ended" || phase.status === "suspended";
}

/** Whether something happens within a moment of real time; asked a few times for each standstill only. */
async function hasMoved(
  { stage, momentMs }: Pick<Drive, "stage" | "momentMs">,
  jumps: { inARow: number; since: number },
): Promise<boolean> {
  const before = stage.activity;
  jumps.inARow = jumps.since === before ? jumps.inARow + 1 : 0;
  jumps.since = before;
  if (jumps.inARow >= MOST_MOMENTS) return false;
  // Without a timer nothing is to come but what shows nowhere.
  const mostMs = stage.time.nextDueMs === undefined ? LAST_MOMENT_MS : momentMs;
  const startedMs = performance.now();
  while (stage.activity === before && performance.now() - startedMs < mostMs) await pause(5);
  jumps.since = stage.activity;
  return stage.activity !== before;
}

function endless({ run, withinMs }: Drive): Error {
  const open = [...run.state.agents.values()].flatMap(({ id, turns }) =>
    [...turns.values()].map(({ turn }) => `turn ${turn} of ${id}`),
  );
  const waitsFor =
    open.length === 0 ? "nothing that it waits for comes" : `${open.join(", ")} goes on`;
  return testEndless({ run: run.id, within: formatDuration(withinMs), waitsFor });
}

async function becomeQuiet(
  stage: Stage,
  isOver: () => boolean,
  isBusy: (waitedMs: number) => boolean,
): Promise<void> {
  let countedMs: number | undefined;
  const startedMs = performance.now();
  const isAtWork = () => stage.programs > 0 || isBusy(performance.now() - startedMs);
  let calm = 0;
  while (calm < QUIET_ROUNDS && !isOver()) {
    const before = stage.activity;
    await new Promise<void>((resolve) => setImmediate(resolve));
    calm = stage.activity === before ? calm + 1 : 0;
    if (calm < QUIET_ROUNDS || !isAtWork()) continue;
    calm = 0;
    countedMs = countBusy(stage, countedMs ?? performance.now() + PROGRAM_MS);
    await pause(1);
  }
}

/** Lets the clock go as far as programs have worked since `countedMs`; returns until when that is counted now. */
function countBusy({ time }: Stage, countedMs: number): number {
  const nowMs = performance.now();
  if (nowMs <= countedMs) return countedMs;
  const untilMs = time.monotonic() + (nowMs - countedMs);
  while ((time.nextDueMs ?? Infinity) <= untilMs) time.fireNext();
  time.moveTo(untilMs);
  return nowMs;
}

/** Tells whether files are being read, or programs run that did not when it was made; or a timer of the machine, but not for long. */
export function createBusyCheck(): (waitedMs: number) => boolean {
  // The fewest that were ever seen: what was about to end when it was made does not count for good.
  const least = new Map<string, number>();
  const isMoreIn = (resources: readonly string[]) => (kind: string) => {
    const count = countOf(kind, resources);
    const before = Math.min(count, least.get(kind) ?? count);
    least.set(kind, before);
    return count > before;
  };
  for (const kind of COUNTED) isMoreIn(process.getActiveResourcesInfo())(kind);
  return (waitedMs) => {
    const now = process.getActiveResourcesInfo();
    const [hasProcess, hasPipe, hasTimer] = COUNTED.map(isMoreIn(now));
    return (
      now.some((kind) => /^(FSReq|FileHandle)/.test(kind)) ||
      hasProcess === true ||
      hasPipe === true ||
      (waitedMs < TIMER_MS && hasTimer === true)
    );
  };
}

function countOf(kind: string, resources: readonly string[]): number {
  return resources.filter((resource) => resource === kind).length;
}
