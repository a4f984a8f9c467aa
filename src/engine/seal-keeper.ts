import type { Timer } from "../foundation/clock.ts";
import type { RunLog, Timers } from "./ports.ts";

const SEAL_INTERVAL_MS = 5000;

/** Seals a log at most every 5 s while it grows, off the path of its commits, and once at the end. */
export class SealKeeper {
  readonly #log: RunLog;
  readonly #timers: Timers;
  #timer: Timer | undefined;

  constructor(log: RunLog, timers: Timers) {
    this.#log = log;
    this.#timers = timers;
  }

  /** Something was committed: a seal is due within the interval. */
  committed(): void {
    this.#timer ??= this.#timers.startTimer(SEAL_INTERVAL_MS, () => {
      this.#timer = undefined;
      this.#log.seal();
    });
  }

  /** Seals what is durable and ends the timer. */
  close(): void {
    this.cancel();
    this.#log.seal();
  }

  /** Ends the timer without sealing. */
  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
