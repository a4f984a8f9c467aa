import { closeSync, constants, lstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { TroupeError } from "../../../foundation/errors.ts";
import type { GitDoor } from "../../../host/git/git-door.ts";
import { isAncestor } from "../../../host/git/repository.ts";
import {
  commitBegunMerge,
  committedHead,
  giveMergeUp,
  goBackTo,
  mergeIntoWorkingTree,
  mergingCommit,
  takeAsResolved,
  unmergedPaths,
  type WorkingMerge,
} from "../../../host/git/working-merge.ts";
import { systemErrorCode } from "../../../host/system/system-error.ts";
import { mergeFailed } from "./errors.ts";
import type { MergeBranch } from "./merge-state.ts";

/** Merges a branch with a commit of its own, whatever git would do by itself. Raises RUN_MERGE_FAILED. */
export function mergeBranch(
  door: GitDoor,
  { run, target }: { readonly run: string; readonly target: MergeBranch },
): Promise<WorkingMerge> {
  const message = `Merge ${target.agent} of ${run}\n\nBranch ${target.branch}\n`;
  const wanted = { commit: target.commit, message };
  return told(`merge ${target.branch}`, () => mergeIntoWorkingTree(door, wanted));
}

/** Whether a merge has begun that is not committed. */
export function isMerging(door: GitDoor): boolean {
  return mergingCommit(door) !== undefined;
}

/** Whether all of a branch is part of what is checked out. */
export function isMerged(door: GitDoor, { commit }: MergeBranch): Promise<boolean> {
  return isAncestor(door, { of: committedHead(door), commit });
}

/** The files in conflict, from the root. Raises HOST_GIT_FAILED. */
export function unmergedFiles(door: GitDoor): Promise<readonly string[]> {
  return unmergedPaths(door);
}

/** Those of the files that still have marks of a conflict in them, or that nobody can look into. */
export function unresolvedFiles(root: string, files: readonly string[]): readonly string[] {
  return files.filter((path) => {
    try {
      return hasConflictMark(join(root, path));
    } catch (error) {
      // It was removed, which is a way to resolve it.
      return systemErrorCode(error) !== "ENOENT";
    }
  });
}

/** Takes files as they are for resolved, and commits the merge that has begun. Raises RUN_MERGE_FAILED. */
export function commitMerge(door: GitDoor, files: readonly string[]): Promise<void> {
  return told("commit the merge", async () => {
    await takeAsResolved(door, files);
    await commitBegunMerge(door);
  });
}

/** Gives up the merge that has begun. Raises RUN_MERGE_FAILED. */
export function abortMerge(door: GitDoor): Promise<void> {
  return told("give the merge up", () => giveMergeUp(door));
}

/** Takes a merge back that was committed; what else was changed meanwhile stays. Raises RUN_MERGE_FAILED. */
export function undoMerge(door: GitDoor, before: string): Promise<void> {
  return told(`go back to ${before.slice(0, 12)}`, () => goBackTo(door, before));
}

/** What git refuses is said as a merge that failed. */
async function told<Result>(action: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    throw mergeFailed({ action, reason: error.message, hasBegun: true }, { cause: error });
  }
}

const MARK = /^(?:<{7}|>{7}|\|{7})(?: |\r?$)/m;

// How much of a line tells whether it is a mark.
const MARK_CHARS = 9;

const PIECE_BYTES = 1024 * 1024;

/**
 * Whether a line of a file begins as git begins the lines around a conflict. Reads it in pieces, whatever its size;
 * what is no plain file has none. Raises errors of the system.
 */
export function hasConflictMark(path: string): boolean {
  if (!lstatSync(path).isFile()) return false;
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const piece = Buffer.alloc(PIECE_BYTES);
    /** The beginning of a line whose end was not read yet. */
    let begun = "";
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) {
      const text = begun + piece.toString("latin1", 0, read);
      const end = text.lastIndexOf("\n") + 1;
      if (MARK.test(text.slice(0, end))) return true;
      begun = text.slice(end, end + MARK_CHARS);
    }
    return MARK.test(begun);
  } finally {
    closeSync(file);
  }
}
