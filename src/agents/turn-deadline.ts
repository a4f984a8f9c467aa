import type { Timers } from "../engine/ports.ts";
import type { Timer } from "../foundation/clock.ts";

/** A deadline that stands while its turn waits for a person. */
export class TurnDeadline {
  readonly #timers: Timers;
  readonly #fire: () => void;
  #remainingMs: number;
  #startedMs = 0;
  #timer: Timer | undefined;
  #waits = 0;
  #isOver = false;

  /** Fires after `timeoutMs` of time that counts; never when that is undefined. */
  constructor(timers: Timers, timeoutMs: number | undefined, fire: () => void) {
    this.#timers = timers;
    this.#fire = fire;
    this.#remainingMs = timeoutMs ?? Infinity;
    this.#run();
  }

  /** Runs `wait` while the deadline stands. */
  async standDuring<Result>(wait: () => Promise<Result>): Promise<Result> {
    this.#waits += 1;
    this.#stand();
    try {
      return await wait();
    } finally {
      this.#waits -= 1;
      this.#run();
    }
  }

  stop(): void {
    this.#isOver = true;
    this.#timer?.cancel();
  }

  #run(): void {
    if (this.#isOver || this.#waits > 0 || this.#remainingMs === Infinity) return;
    this.#startedMs = this.#timers.monotonic();
    this.#timer = this.#timers.startTimer(this.#remainingMs, this.#fire);
  }

  #stand(): void {
    if (this.#timer === undefined) return;
    this.#timer.cancel();
    this.#timer = undefined;
    this.#remainingMs -= this.#timers.monotonic() - this.#startedMs;
  }
}
