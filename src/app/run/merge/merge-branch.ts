import { closeSync, constants, lstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { TroupeError } from "../../../foundation/errors.ts";
import type { GitDoor } from "../../../host/git/git-door.ts";
import { isAncestor, readBranch, readBranchTip } from "../../../host/git/repository.ts";
import type { MoveOutcome } from "../../../host/git/tree-move.ts";
import {
  checkOut,
  commitBegunMerge,
  committedHead,
  finishChange,
  giveMergeUp,
  goBackTo,
  mergeIntoWorkingTree,
  mergingCommit,
  pendingChange,
  takeAsResolved,
  takeChangeBack,
  unmergedPaths,
  type WorkingMerge,
} from "../../../host/git/working-merge.ts";
import { branchElsewhere } from "../../../host/system/errors.ts";
import { systemErrorCode } from "../../../host/system/system-error.ts";
import { mergeFailed, mergeUnfinished, NO_BRANCH } from "./errors.ts";
import type { MergeBranch } from "./merge-state.ts";

/** What of a merge is known by the run. */
interface RunMerge {
  readonly run: string;
  readonly target: MergeBranch;
}

/** Merges a branch with a commit of its own, whatever git would do by itself. Raises RUN_MERGE_FAILED. */
export function mergeBranch(door: GitDoor, { run, target }: RunMerge): Promise<WorkingMerge> {
  const message = `Merge ${target.agent} of ${run}\n\nBranch ${target.branch}\n`;
  const wanted = { commit: target.commit, message, by: run };
  return told({ run, action: `merge ${target.branch}` }, () => mergeIntoWorkingTree(door, wanted));
}

/** Whether the merge of a branch has begun that is not committed. Raises RUN_MERGE_FAILED where another one has. */
export function isMerging(door: GitDoor, run: string, { branch, commit }: MergeBranch): boolean {
  const merging = mergingCommit(door);
  if (merging === undefined || merging === commit) return merging !== undefined;
  const reason = `a merge of ${merging.slice(0, 12)} has begun there: commit it, or git merge --abort`;
  throw mergeFailed({ run, action: `merge ${branch}`, reason, hasBegun: true });
}

/** Whether all of a branch is part of what is checked out. */
export function isMerged(door: GitDoor, { commit }: MergeBranch): Promise<boolean> {
  return isAncestor(door, { of: committedHead(door), commit });
}

/** Finishes what a killed process was writing, and resolves with the files that somebody else has changed. Raises RUN_MERGE_UNFINISHED, RUN_MERGE_FAILED. */
export async function finishPending(door: GitDoor, run: string): Promise<readonly string[]> {
  if (!isPending(door, run)) return [];
  return (await told({ run, action: "finish what was begun" }, () => finishChange(door))).edited;
}

/** Takes back what a killed process was writing. Raises RUN_MERGE_UNFINISHED, RUN_MERGE_FAILED. */
export async function takePendingBack(door: GitDoor, run: string): Promise<readonly string[]> {
  if (!isPending(door, run)) return [];
  return (await told({ run, action: "take back what was begun" }, () => takeChangeBack(door)))
    .edited;
}

function isPending(door: GitDoor, run: string): boolean {
  const pending = pendingChange(door);
  if (pending !== undefined && pending.by !== run)
    throw mergeUnfinished({ run: pending.by, branch: readBranch(door.place.root) ?? NO_BRANCH });
  return pending !== undefined;
}

/** Whether what is checked out is the commit that joins a branch with what was there before, and nothing more. */
export async function isLastMerge(
  door: GitDoor,
  { before, target }: { readonly before: string; readonly target: MergeBranch },
): Promise<boolean> {
  const args = ["rev-list", "--max-count=1", "--parents", committedHead(door)];
  const [, ...parents] = (await door.must(args)).stdout.trim().split(" ");
  return parents.length === 2 && parents[0] === before && parents[1] === target.commit;
}

/** Checks out the branch that a merge goes into. Raises RUN_MERGE_FAILED, HOST_GIT_BRANCH_ELSEWHERE. */
export function switchTo(
  door: GitDoor,
  { branch, run }: { readonly branch: string; readonly run: string },
): Promise<MoveOutcome> {
  const tip = readBranchTip(door.place.root, branch);
  return told({ run, action: `switch to ${branch}` }, () =>
    checkOut(door, { branch, tip, by: run }),
  );
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
export function commitMerge(door: GitDoor, run: string, files: readonly string[]): Promise<void> {
  return told({ run, action: "commit the merge" }, async () => {
    await takeAsResolved(door, files);
    await commitBegunMerge(door);
  });
}

/** Gives up the merge that has begun. Raises RUN_MERGE_FAILED. */
export function abortMerge(door: GitDoor, run: string): Promise<MoveOutcome> {
  return told({ run, action: "give the merge up" }, () => giveMergeUp(door, run));
}

/** Takes a merge back that was committed; what else was changed meanwhile stays. Raises RUN_MERGE_FAILED. */
export function undoMerge(
  door: GitDoor,
  { before, run }: { readonly before: string; readonly run: string },
): Promise<MoveOutcome> {
  const wanted = { commit: before, by: run };
  return told({ run, action: `go back to ${before.slice(0, 12)}` }, () => goBackTo(door, wanted));
}

/** Raises what git refuses as RUN_MERGE_FAILED. */
async function told<Result>(
  { run, action }: { readonly run: string; readonly action: string },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TroupeError) || error.code === branchElsewhere.code) throw error;
    throw mergeFailed({ run, action, reason: error.message, hasBegun: true }, { cause: error });
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
