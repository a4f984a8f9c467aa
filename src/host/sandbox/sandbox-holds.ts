import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectory } from "../../foundation/make-directory.ts";
import type { ProcessTable } from "../system/process-entry.ts";
import { currentProcessIdentity, isAlive } from "../system/process-identity.ts";
import { systemErrorCode } from "../system/system-error.ts";

// Nothing can be protected that is not there, so an empty directory takes the place of what is missing while
// programs are confined. Git shows no empty directories.
// H1: a directory is ours if it is empty but for holds; only such a one is ever removed.
// H2: it goes with the last hold, whichever process has it: a directory with a hold in it cannot be removed.
// H3: what a killed process left is taken over by the next one that holds the same path.

const HOLD = /^troupe-hold-(\d+)-(\d+)-[0-9a-f]+$/;

/**
 * Takes a path that is not there; undefined when something else is, or there is no directory for it. The result
 * gives it back. Raises system errors.
 */
export function holdPath(path: string, table: ProcessTable): (() => void) | undefined {
  if (!existsSync(dirname(path)) || !isOurs(path, table)) return undefined;
  const { pid, startedAt } = currentProcessIdentity(table);
  const hold = join(path, `troupe-hold-${pid}-${startedAt}-${randomBytes(4).toString("hex")}`);
  makeDirectory(hold, 0o700);
  return () => {
    remove(hold);
    remove(path);
  };
}

/** Whether there is nothing, or only what holds have made; holds of processes that are gone are removed. */
function isOurs(path: string, table: ProcessTable): boolean {
  let names: readonly string[];
  try {
    names = readdirSync(path);
  } catch (error) {
    return systemErrorCode(error) === "ENOENT";
  }
  if (names.length === 0) return false;
  return names.every((name) => {
    const [, pid, startedAt] = HOLD.exec(name) ?? [];
    if (pid === undefined || startedAt === undefined) return false;
    if (!isAlive(table, { pid: Number(pid), startedAt })) remove(join(path, name));
    return true;
  });
}

function remove(directory: string): void {
  try {
    rmdirSync(directory);
  } catch (error) {
    // Somebody else holds it too, or has put something there that stays.
    const code = systemErrorCode(error);
    if (code !== "ENOENT" && code !== "ENOTEMPTY" && code !== "ENOTDIR" && code !== "EEXIST")
      throw error;
  }
}
