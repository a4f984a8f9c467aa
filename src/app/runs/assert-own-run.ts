import type { RunStore } from "../../contracts/ports/store.ts";
import { runForeign } from "../../journal/errors.ts";

/** Why a run is not this user's own (SEC-2); undefined for one that is. Raises RUN_NOT_FOUND and STORE_* errors. */
export function foreignReasonOf(store: RunStore, run: string): string | undefined {
  const journal = store.open(run, "read");
  try {
    return journal.foreign();
  } finally {
    journal.close();
  }
}

/**
 * Keeps what acts on a run, or takes over what it would run, away from those that somebody else made; opening one for
 * writing refuses by itself. Raises RUN_FOREIGN, RUN_NOT_FOUND and STORE_* errors.
 */
export function assertOwnRun(store: RunStore, run: string): void {
  const reason = foreignReasonOf(store, run);
  if (reason !== undefined) throw runForeign({ run, reason });
}
