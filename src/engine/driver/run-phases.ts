import type { JournalEvent } from "../../contracts/events/event.ts";
import { isOver, isWaitingForPerson, runStatus } from "../../fold/waiting.ts";
import { toErrorReport } from "../../foundation/errors.ts";
import { runOver } from "../errors.ts";
import { isDelivery } from "../recording.ts";
import { endOfProgram } from "../run-ending.ts";
import type { RunDriverOptions } from "./run-driver-options.ts";
import { createRunParts, type RunParts, type RunWatcher } from "./run-parts.ts";

// Owns the order of things in a run: it begins, replays, is live, rests, ends. Does not own what carries it out (RunParts)
// nor the way out (RunExit).
// I3: an outcome is queued for the program as it is appended, before anybody else hears of it.
// I4: nothing is written, and the end of the program does not count, before it has asked for all that is recorded.

const WAITING_EXIT_CODE = 3;

/** One run from its beginning to its last event. */
export class RunPhases<Definition> implements RunWatcher {
  readonly parts: RunParts<Definition>;
  readonly #options: RunDriverOptions<Definition>;
  #phase: "replaying" | "live" = "replaying";
  #isLooping = false;

  /** Reads the run's journal; raises STORE_* errors. */
  constructor(options: RunDriverOptions<Definition>) {
    this.#options = options;
    this.parts = createRunParts(options, this);
    options.ownership.onLost((error) => this.failed(error));
  }

  /** Begins and replays. Raises ENGINE_RUN_OVER. */
  start(): void {
    const { journal, runner, bounds, program } = this.parts;
    const { state } = journal;
    if (isOver(state)) throw runOver({ run: journal.run, outcome: runStatus(state) });
    const { beginning, ownership } = this.#options;
    journal.begin(ownership.epoch, beginning);
    runner.begin({ seq: 1, at: state.run.createdAt });
    bounds.start();
    program.start();
    runner.replay();
  }

  /** Only a person can continue the run. */
  looping(error: Error): void {
    this.parts.exit.suspend("interrupted", WAITING_EXIT_CODE, toErrorReport(error));
    this.#isLooping = true;
  }

  /** Replay is over: the run is live, unless its process would die again. */
  replayed(): void {
    const { journal, listeners, exit } = this.parts;
    this.#phase = "live";
    journal.open();
    if (!this.#isLooping) listeners.live();
    this.#finish();
    exit.replayed();
  }

  get hasDeliveries(): boolean {
    return this.parts.runner.hasDeliveries;
  }

  appended(event: JournalEvent): void {
    const { journal, runner, runningClock, listeners } = this.parts;
    if (isDelivery(event)) runner.deliver(event);
    runningClock.setStanding(isWaitingForPerson(journal.state));
    listeners.appended(event);
    // It may have been the last thing for which a run that is done was held open.
    this.#finish();
  }

  /** Perhaps the run can rest. */
  committed(events: readonly JournalEvent[]): void {
    this.#options.onCommitted?.(events);
    this.parts.rest.check();
  }

  cancellationDelivered(): void {
    this.parts.cancellation.take();
  }

  programEnded(): void {
    this.#finish();
  }

  failed(error: unknown): void {
    this.parts.exit.fail(error);
  }

  /**
   * The run ends with its program, but not before replay has shown that the two fit, and when all is well not before what
   * goes on beside it.
   */
  #finish(): void {
    const { journal, program, exit, listeners, toEndParts } = this.parts;
    const { end } = program;
    if (end === undefined || this.#phase !== "live" || !exit.isInside) return;
    const isDone = end.status === "returned" && end.result.outcome === "completed";
    const isWanted = journal.state.cancellation === undefined;
    if (isDone && isWanted && listeners.isHeldOpen) return;
    exit.leave("ended", () => endOfProgram(journal.state, end, toEndParts));
  }
}
