import { realpathSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Machine } from "../machine/machine.ts";
import { runCopied } from "./errors.ts";
import { readHead } from "./run-heads.ts";

// A run keeps the directory that its agents start in. In a copy of its project that is still a directory of the original,
// so that whatever acts on the copied run would change the original.

/**
 * Keeps what acts on a run away from a project in which its agents do not work: a copy. A run whose directory does not
 * exist any more passes; what needs the directory refuses it as moved. Raises RUN_COPIED and STORE_* errors.
 */
export function assertOwnPlace(machine: Machine, run: string): void {
  assertWorksHere(machine, run, readHead(machine.store, run)?.cwd);
}

/** The same for a run whose directory is known; undefined where it never began. Raises RUN_COPIED. */
export function assertWorksHere(machine: Machine, run: string, cwd: string | undefined): void {
  if (!machine.keepsFiles || cwd === undefined || look(cwd) === undefined) return;
  const { root, troupeDirectory } = machine.project;
  const roots = [look(root), look(dirname(real(troupeDirectory)))];
  if (!isBelow(cwd, roots)) throw runCopied({ run, cwd, project: root });
}

/** By identity, not by name: a link, a bind mount and a renamed parent lead to the same directories. */
function isBelow(directory: string, roots: readonly (Stats | undefined)[]): boolean {
  for (let current = real(directory); ; current = dirname(current)) {
    const stat = look(current);
    if (roots.some((root) => root?.ino === stat?.ino && root?.dev === stat?.dev)) return true;
    if (dirname(current) === current) return false;
  }
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Undefined where nothing is, or nothing that may be looked at. */
function look(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
