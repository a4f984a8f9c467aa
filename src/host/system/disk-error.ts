import { TroupeError } from "../../foundation/errors.ts";
import { findStorageFault } from "../../foundation/storage-fault.ts";
import { diskFull, diskReadOnly } from "./errors.ts";

/**
 * What a full or a read-only disk is told as, HOST_DISK_FULL, HOST_DISK_READ_ONLY or STORE_FULL, when an error
 * comes from one; undefined for any other error.
 */
export function toDiskError(thrown: unknown, path?: string): TroupeError | undefined {
  const fault = findStorageFault(thrown);
  if (fault === undefined) return undefined;
  const { what, error } = fault;
  if (error instanceof TroupeError) return error;
  const named = "path" in error && typeof error.path === "string" ? error.path : undefined;
  const place = { path: path ?? named ?? "a file that the run needs" };
  return what === "full"
    ? diskFull(place, { cause: error })
    : diskReadOnly(place, { cause: error });
}

/** Carries out what touches a file; a full or read-only disk is told by HOST_DISK_FULL or HOST_DISK_READ_ONLY. */
export function onDisk<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw toDiskError(error, path) ?? error;
  }
}
