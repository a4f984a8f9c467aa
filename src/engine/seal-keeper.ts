import type { Timer } from "../foundation/clock.ts";
import type { RunLog, Timers } from "./ports.ts";

const SEAL_INTERVAL_MS = 5000;

/** Seals a log at most every 5 s while it grows, off the path of its commits, and once at the end. */
export class SealKeeper {
  readonly #log: RunLog;
  readonly #timers: Timers;
  readonly #onFailed: (error: unknown) => void;
  #timer: Timer | undefined;

  /** `onFailed` hears of seals between commits that could not be written. */
  constructor(log: RunLog, timers: Timers, onFailed: (error: unknown) => void) {
    this.#log = log;
    this.#timers = timers;
    this.#onFailed = onFailed;
  }

  /** Something was committed: a seal is due within the interval. */
  committed(): void {
    this.#timer ??= this.#timers.startTimer(SEAL_INTERVAL_MS, () => {
      this.#timer = undefined;
      try {
        this.#log.seal();
      } catch (error) {
        this.#onFailed(error);
      }
    });
  }

  /** Seals what is durable and ends the timer. Raises STORE_* errors. */
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
