import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectory } from "../../foundation/make-directory.ts";
import type { ProcessTable } from "../system/process-entry.ts";
import { currentProcessIdentity, isAlive, viewName } from "../system/process-identity.ts";
import { systemErrorCode } from "../system/system-error.ts";

// Nothing can be protected that is not there, so an empty directory takes the place of what is missing while
// programs are confined. Git shows no empty directories.
// H1: a directory is ours if it is empty but for holds; only such a one is ever removed.
// H2: it goes with the last hold, whichever process has it: a directory with a hold in it cannot be removed.
// H3: what a killed process left is taken over by the next one that holds the same path.

const HOLD = /^troupe-hold-(\d+)-(\d+)-([0-9a-f]+)$/;
// The hold of a process of another boot or container, of which nothing else is known.
const FORGOTTEN_MS = 7 * 86_400_000;

/**
 * Takes a path that is not there; undefined when something else is, or there is no directory for it. The result
 * gives it back. Raises system errors.
 */
export function holdPath(path: string, table: ProcessTable): (() => void) | undefined {
  if (!existsSync(dirname(path)) || !isOurs(path, table)) return undefined;
  const { pid, startedAt } = currentProcessIdentity(table);
  const id = `${viewName(table)}${randomBytes(4).toString("hex")}`;
  const hold = join(path, `troupe-hold-${pid}-${startedAt}-${id}`);
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
    const [, pid, startedAt, id] = HOLD.exec(name) ?? [];
    if (pid === undefined || startedAt === undefined || id === undefined) return false;
    const hold = join(path, name);
    // Older versions did not say where their process was.
    const isHere = id.length === 8 || id.startsWith(viewName(table));
    const isOver = isHere ? !isAlive(table, { pid: Number(pid), startedAt }) : isForgotten(hold);
    if (isOver) remove(hold);
    return true;
  });
}

function isForgotten(hold: string): boolean {
  const info = statSync(hold, { throwIfNoEntry: false });
  return info === undefined || Date.now() - info.mtimeMs > FORGOTTEN_MS;
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
