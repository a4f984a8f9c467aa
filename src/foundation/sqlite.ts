import type { DatabaseSync, DatabaseSyncOptions } from "node:sqlite";

/** Opens a database. Node 22 calls SQLite experimental when it is loaded: that one warning is not printed. */
export function openSqlite(path: string | URL, options: DatabaseSyncOptions = {}): DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  return new DatabaseSync(path, options);
}

function loadSqlite() {
  const { emitWarning } = process;
  // Node warns while it loads, not after: whoever listens to the warnings of this process misses no other.
  process.emitWarning = (...warning: readonly unknown[]) => {
    if (!isOfSqlite(warning)) Reflect.apply(emitWarning, process, warning);
  };
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}

function isOfSqlite([message, type]: readonly unknown[]): boolean {
  return type === "ExperimentalWarning" && String(message).startsWith("SQLite ");
}
