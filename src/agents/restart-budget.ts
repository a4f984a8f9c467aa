import type { Timers } from "../engine/ports.ts";

/** Restarts that a crashing session gets within the period, as Erlang's supervisors count them. */
const INTENSITY = 3;
const PERIOD_MS = 60_000;

/** Counts restarts, so that a session that keeps crashing is given up. */
export class RestartBudget {
  readonly #timers: Timers;
  #restartedMs: number[] = [];

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Uses one restart; false when too many lie within the period. */
  take(): boolean {
    const now = this.#timers.monotonic();
    this.#restartedMs = this.#restartedMs.filter((timeMs) => now - timeMs < PERIOD_MS);
    if (this.#restartedMs.length >= INTENSITY) return false;
    this.#restartedMs.push(now);
    return true;
  }
}
