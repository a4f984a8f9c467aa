import type { Timer } from "../foundation/clock.ts";
import type { Timers } from "./ports.ts";

interface Deadline {
  remainingMs: number;
  readonly fire: () => void;
  timer: Timer | undefined;
  startedMs: number;
}

/**
 * Timers that count running time: they stand while everything that could go on waits for a person.
 * While the run is suspended there is no process, hence no clock.
 */
export class RunningClock {
  readonly #timers: Timers;
  readonly #deadlines = new Set<Deadline>();
  #isStanding = false;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Calls `fire` once after that much running time. */
  startTimer(durationMs: number, fire: () => void): Timer {
    const deadline: Deadline = {
      remainingMs: Math.max(0, durationMs),
      fire,
      timer: undefined,
      startedMs: 0,
    };
    this.#deadlines.add(deadline);
    if (!this.#isStanding) this.#run(deadline);
    return { cancel: () => this.#end(deadline) };
  }

  /** Stops or starts the clock. */
  setStanding(isStanding: boolean): void {
    if (isStanding === this.#isStanding) return;
    this.#isStanding = isStanding;
    for (const deadline of this.#deadlines) {
      if (isStanding) this.#stand(deadline);
      else this.#run(deadline);
    }
  }

  /** Ends every timer. */
  close(): void {
    for (const deadline of [...this.#deadlines]) this.#end(deadline);
  }

  #run(deadline: Deadline): void {
    deadline.startedMs = this.#timers.monotonic();
    deadline.timer = this.#timers.startTimer(deadline.remainingMs, () => {
      this.#deadlines.delete(deadline);
      deadline.fire();
    });
  }

  #stand(deadline: Deadline): void {
    deadline.timer?.cancel();
    deadline.remainingMs = Math.max(
      0,
      deadline.remainingMs - (this.#timers.monotonic() - deadline.startedMs),
    );
  }

  #end(deadline: Deadline): void {
    deadline.timer?.cancel();
    this.#deadlines.delete(deadline);
  }
}
