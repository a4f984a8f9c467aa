/** What keeps a disk from taking more: it or a quota is full, or its file system is mounted read-only. */
export interface StorageFault {
  readonly what: "full" | "read-only";
  /** The error that says so, of the system or one of Troupe's. */
  readonly error: Error;
}

const CODES: ReadonlyMap<unknown, StorageFault["what"]> = new Map([
  ["ENOSPC", "full"],
  ["EDQUOT", "full"],
  ["EROFS", "read-only"],
  ["STORE_FULL", "full"],
  ["HOST_DISK_FULL", "full"],
  ["HOST_DISK_READ_ONLY", "read-only"],
]);

// What SQLite says of a database that is no journal: that it cannot grow, or its shared memory, or that it is read-only.
const SQLITE_CODES: ReadonlyMap<unknown, StorageFault["what"]> = new Map([
  [13, "full"],
  [4874, "full"],
  [8, "read-only"],
]);

/**
 * The fault of a disk that an error or one of its causes tells of; undefined for any other error. What the function
 * of a step threw is a matter of its author.
 */
export function findStorageFault(thrown: unknown): StorageFault | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const code = "code" in error ? error.code : undefined;
    if (code === "ENGINE_STEP_FAILED") return undefined;
    const what =
      CODES.get(code) ?? ("errcode" in error ? SQLITE_CODES.get(error.errcode) : undefined);
    if (what !== undefined) return { what, error };
  }
  return undefined;
}
