import type { ErrorReport } from "../foundation/errors.ts";
import type { OperationRunner } from "./operation-runner.ts";
import { endAtLimit, endOfTime, type ToEndParts } from "./run-ending.ts";
import type { RunExit } from "./run-exit.ts";
import type { RunJournal } from "./run-journal.ts";
import type { RunningClock } from "./running-clock.ts";

interface RunBoundsParts {
  readonly journal: RunJournal;
  readonly runningClock: RunningClock;
  readonly runner: OperationRunner;
  readonly exit: RunExit;
  readonly toEndParts: ToEndParts;
}

/** What ends a run from outside of its program, so that it can go on with more: its deadline and its limits. */
export class RunBounds {
  readonly #parts: RunBoundsParts;
  /** Set when the run is to end as soon as nothing works any more. */
  #limit: ErrorReport | undefined;

  constructor(parts: RunBoundsParts) {
    this.#parts = parts;
  }

  /** Starts the run's own deadline, if it has one. */
  start(): void {
    const { journal, runningClock, exit, toEndParts } = this.#parts;
    const { timeoutMs } = journal.state.run.limits;
    if (timeoutMs === undefined) return;
    runningClock.startTimer(timeoutMs - journal.runningMs, () =>
      exit.leave("suspended", () => endOfTime(timeoutMs, toEndParts(undefined))),
    );
  }

  /** See RunRuntime.stopAtLimit. */
  stopAtLimit(error: ErrorReport, when: "now" | "when-still"): void {
    this.#limit ??= error;
    if (when === "now") this.#leave(this.#limit);
  }

  /** Ends the run if a limit wants it and nothing works any more; whether it did. */
  endIfStill(): boolean {
    if (this.#limit === undefined || !this.#parts.runner.isStill) return false;
    this.#leave(this.#limit);
    return true;
  }

  /** Its operations stay open. */
  #leave(error: ErrorReport): void {
    const { exit, toEndParts } = this.#parts;
    exit.leave("suspended", () => endAtLimit(error, toEndParts(undefined)));
  }
}
