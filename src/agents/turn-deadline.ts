import type { Timers } from "../engine/ports.ts";
import type { Timer } from "../foundation/clock.ts";

/** A deadline that stands while its turn waits for a person. */
export class TurnDeadline {
  readonly #timers: Timers;
  readonly #fire: () => void;
  #remainingMs: number;
  #startedMs: number | undefined;
  #workedMs = 0;
  #timer: Timer | undefined;
  #waits = 0;
  #isOver = false;

  /** Fires after `timeoutMs` of time that counts; never when that is Infinity. */
  constructor(timers: Timers, timeoutMs: number, fire: () => void) {
    this.#timers = timers;
    this.#fire = fire;
    this.#remainingMs = timeoutMs;
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

  /** The time so far in which the turn did not wait for a person. */
  get workedMs(): number {
    const startedMs = this.#startedMs;
    return this.#workedMs + (startedMs === undefined ? 0 : this.#timers.monotonic() - startedMs);
  }

  stop(): void {
    this.#stand();
    this.#isOver = true;
  }

  #run(): void {
    if (this.#isOver || this.#waits > 0) return;
    this.#startedMs = this.#timers.monotonic();
    if (this.#remainingMs === Infinity) return;
    this.#timer = this.#timers.startTimer(this.#remainingMs, this.#fire);
  }

  #stand(): void {
    if (this.#startedMs === undefined) return;
    const passedMs = this.#timers.monotonic() - this.#startedMs;
    this.#startedMs = undefined;
    this.#workedMs += passedMs;
    this.#remainingMs -= passedMs;
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
