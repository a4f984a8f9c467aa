import type { Timer } from "../foundation/clock.ts";
import type { Timers } from "./ports.ts";
import type { RunJournal } from "./run-journal.ts";
import type { ScopeNode } from "./scope.ts";

interface RunCancellationOptions {
  readonly root: ScopeNode;
  readonly timers: Timers;
  readonly journal: RunJournal;
  /** Time that shielded scopes have after a cancellation. Defaults to 30 s. */
  readonly cleanupMs: number | undefined;
}

const DEFAULT_CLEANUP_MS = 30_000;

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
  take(): void {
    const { root, timers, journal } = this.#options;
    this.#requests += 1;
    root.cancel(journal.state.cancellation?.reason ?? "cancelled", this.#requests > 1);
    if (this.#requests > 1) this.close();
    else this.#timer = timers.startTimer(this.#cleanupMs(), () => this.#requestAgain());
  }

  /** No second request will be made. */
  close(): void {
    this.#timer?.cancel();
  }

  /** What is left of the time for cleaning up, which no waiting for people stops; earlier owners may have used some. */
  #cleanupMs(): number {
    const { journal, cleanupMs = DEFAULT_CLEANUP_MS } = this.#options;
    const nowMs = journal.ownedMs;
    return cleanupMs - (nowMs - (journal.recording.cancelledAtOwnedMs ?? nowMs));
  }

  #requestAgain(): void {
    const reason = "the time for cleaning up is over";
    this.#options.journal.append({ type: "cancellation-requested", reason, by: "troupe" });
  }
}
