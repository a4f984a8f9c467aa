import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunStore } from "../../src/contracts/ports/store.ts";
import { createSqliteStore, type SqliteStoreOptions } from "../../src/journal/sqlite-store.ts";

export interface TemporaryStore {
  readonly store: RunStore;
  readonly runsDirectory: string;
  cleanup(): Promise<void>;
}

export function createTemporaryStore(options: SqliteStoreOptions = {}): TemporaryStore {
  const root = mkdtempSync(join(tmpdir(), "journal-"));
  const runsDirectory = join(root, "runs");
  return {
    store: createSqliteStore(runsDirectory, { pollMs: 2, ...options }),
    runsDirectory,
    cleanup: () => rm(root, { recursive: true, force: true }),
  };
}
