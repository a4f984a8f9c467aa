import type { RunEnded } from "../contracts/events/run-events.ts";
import type { RunState } from "../fold/state/run-state.ts";
import type { ErrorReport } from "../foundation/errors.ts";
import type { Json } from "../foundation/json.ts";
import { endAtLimit, endOfTime } from "./run-ending.ts";
import type { RunningClock } from "./running-clock.ts";

/** What bounds need of a run. */
export interface RunBoundsPorts {
  readonly state: RunState;
  readonly runningClock: RunningClock;
  readonly runningMs: () => number;
  /** Whether nothing works any more. */
  readonly isStill: () => boolean;
  readonly endParts: () => { readonly durationMs: number; readonly result: Json };
  /** Leaves the run with this event; its operations stay open. */
  readonly leave: (toEvent: () => RunEnded) => void;
}

/** What ends a run from outside of its program, so that it can go on with more: its deadline and its limits. */
export class RunBounds {
  readonly #ports: RunBoundsPorts;
  /** Set when the run is to end as soon as nothing works any more. */
  #limit: ErrorReport | undefined;

  constructor(ports: RunBoundsPorts) {
    this.#ports = ports;
  }

  /** Starts the run's own deadline, if it has one. */
  start(): void {
    const { state, runningClock, runningMs, endParts, leave } = this.#ports;
    const { timeoutMs } = state.run.limits;
    if (timeoutMs === undefined) return;
    runningClock.startTimer(timeoutMs - runningMs(), () =>
      leave(() => endOfTime(timeoutMs, endParts())),
    );
  }

  /** See RunRuntime.stopAtLimit. */
  stopAtLimit(error: ErrorReport, when: "now" | "when-still"): void {
    this.#limit ??= error;
    if (when === "now") this.#leave(this.#limit);
  }

  /** Ends the run if a limit wants it and nothing works any more; whether it did. */
  endIfStill(): boolean {
    if (this.#limit === undefined || !this.#ports.isStill()) return false;
    this.#leave(this.#limit);
    return true;
  }

  #leave(error: ErrorReport): void {
    const { endParts, leave } = this.#ports;
    leave(() => endAtLimit(error, endParts()));
  }
}
