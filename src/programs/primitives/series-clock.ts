import type { Context } from "../../contracts/ports/context.ts";

const LEAST_GRACE_MS = 30_000;
const MOST_GRACE_MS = 600_000;
const GRACE_SHARE = 0.1;

// C1: whether it is over changes by outcomes of the journal alone. It is running time, so that a pause does not count.
/** How long a series of rounds may go on. */
export class SeriesClock {
  #isOver = false;
  #cut: (() => void) | undefined;
  readonly #stop: () => Promise<void>;

  /** Begins to run now. */
  constructor(context: Context, durationMs: number | undefined) {
    if (durationMs === undefined) {
      this.#stop = () => Promise.resolve();
      return;
    }
    const scope = context.scope("deadline", async (branch) => {
      // Nobody has such an id: only time ends the wait.
      const nothing = branch.subscribe({ kinds: ["dead-letter"], from: ["nobody at all"] });
      await branch.next(nothing, { timeoutMs: durationMs });
      this.#isOver = true;
      await branch.next(nothing, { timeoutMs: graceOf(durationMs) });
      this.#cut?.();
    });
    const over = Promise.allSettled([scope.result]);
    this.#stop = async () => {
      scope.cancel("the series is over");
      await over;
    };
  }

  /** Whether no round may begin any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Calls this when the round that goes on has had its grace; undefined: none goes on. */
  watch(cut: (() => void) | undefined): void {
    this.#cut = cut;
  }

  /** Runs no more. */
  stop(): Promise<void> {
    return this.#stop();
  }
}

/** What may be taken beyond the deadline by whatever was begun before it. */
export function graceOf(durationMs: number): number {
  return Math.min(MOST_GRACE_MS, Math.max(LEAST_GRACE_MS, Math.round(durationMs * GRACE_SHARE)));
}
