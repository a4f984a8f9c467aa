import { mkdirSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import type { Journal, RunStore } from "../../src/contracts/ports/store.ts";
import { TroupeError } from "../../src/foundation/errors.ts";
import { createSqliteStore } from "../../src/journal/sqlite-store.ts";
import { type LedgerEntry, readLedger } from "./ledger.ts";

/** A project of its own, with a ledger outside of it. */
export interface Sandbox {
  readonly root: string;
  /** The project's directory. */
  readonly cwd: string;
  readonly runsDirectory: string;
  readonly ledger: string;
  /** Where the processes put temporary files and sockets. */
  readonly temporary: string;
  readonly store: RunStore;
  remove(): Promise<void>;
}

/** A fresh project under the system's temporary directory; its path is short because sockets lie in it. */
export function createSandbox(): Sandbox {
  const root = mkdtempSync(join(tmpdir(), "crash-"));
  const [cwd, temporary] = [join(root, "work"), join(root, "t")];
  const runsDirectory = join(cwd, ".troupe", "runs");
  for (const directory of [cwd, temporary, join(cwd, ".troupe")]) mkdirSync(directory);
  return {
    root,
    cwd,
    runsDirectory,
    ledger: join(root, "ledger"),
    temporary,
    store: createSqliteStore(runsDirectory),
    // Orphans of a killed owner may still be writing.
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  };
}

/** All that can be known about the sandbox's one run from outside. */
export interface Observation {
  /** Undefined until the run exists. */
  readonly run: string | undefined;
  readonly events: readonly JournalEvent[];
  readonly ledger: readonly LedgerEntry[];
}

/** Reads journal and ledger; the journal's chain of hashes is checked on the way. */
export function observe({ store, ledger }: Sandbox): Observation {
  // The ledger first: what it holds, the journal must explain.
  const entries = readLedger(ledger);
  const [run] = store.list();
  if (run === undefined) return { run, events: [], ledger: entries };
  return { run, events: readEvents(store, run), ledger: entries };
}

function readEvents(store: RunStore, run: string): readonly JournalEvent[] {
  const journal = openUnlessUnfinished(store, run);
  try {
    return [...(journal?.read() ?? [])];
  } finally {
    journal?.close();
  }
}

/** A run that is just being created is listed for a moment before it can be read. */
function openUnlessUnfinished(store: RunStore, run: string): Journal | undefined {
  try {
    return store.open(run, "read");
  } catch (error) {
    if (error instanceof TroupeError && error.code === "RUN_NOT_FOUND") return undefined;
    throw error;
  }
}
