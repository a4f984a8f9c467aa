import type { Timer } from "../foundation/clock.ts";
import type { Timers } from "./ports.ts";
import type { ScopeNode } from "./scope.ts";

interface RunCancellationOptions {
  readonly root: ScopeNode;
  readonly timers: Timers;
  /** What is left of the time for cleaning up; earlier owners may have used some of it. */
  readonly cleanupMs: () => number;
  /** Asks for the second cancellation, which spares nothing. */
  readonly onCleanupOver: () => void;
}

/**
 * Carries requests to cancel a run to its scopes: the first spares shielded ones, what is left after the
 * time for cleaning up is ended by the second.
 */
export class RunCancellation {
  readonly #options: RunCancellationOptions;
  #timer: Timer | undefined;
  #requests = 0;

  constructor(options: RunCancellationOptions) {
    this.#options = options;
  }

  /** A request has reached the program, live or in replay. */
  take(reason: string): void {
    const { root, timers, cleanupMs, onCleanupOver } = this.#options;
    this.#requests += 1;
    root.cancel(reason, this.#requests > 1);
    if (this.#requests === 1) this.#timer = timers.startTimer(cleanupMs(), onCleanupOver);
    else this.close();
  }

  /** No second request will be asked for. */
  close(): void {
    this.#timer?.cancel();
  }
}
