import { join } from "node:path";
import { branchElsewhere, gitFailed } from "../system/errors.ts";
import { branchHolders } from "./branch-holders.ts";
import { shownName } from "./exact-names.ts";
import type { GitDoor, Landing } from "./git-door.ts";
import { readFirstLine, readRegularFile } from "./read-regular-file.ts";
import { isAncestor } from "./repository.ts";
import {
  finishMove,
  forgetMerge,
  type MoveOutcome,
  moveTree,
  pathsOfEntries,
  pendingMove,
  setHead,
  type TreeMove,
  takeMoveBack,
} from "./tree-move.ts";
import { assertBranchFree } from "./update-ref.ts";
import { fields, headOf } from "./working-changes.ts";

// Merges in the working tree of a user by plumbing alone: no hook, filter, driver or editor is started.
// What is left after a conflict is what git itself leaves, so that a person can go on with git. Every change of files is a
// recorded one, see tree-move.ts.

/** What is merged into what is checked out. */
export interface WantedMerge {
  /** Id of a commit. */
  readonly commit: string;
  readonly message: string;
  /** Name of what merges, for people. */
  readonly by: string;
}

/** How merging went. */
export type WorkingMerge = MoveOutcome &
  (
    | { readonly status: "merged" }
    | { readonly status: "conflict"; readonly files: readonly string[] }
  );

const MAX_MESSAGE_BYTES = 64 * 1024;

/**
 * Merges a commit into what is checked out, with a commit of its own, or leaves the conflict in the working tree.
 * Files that were changed and not committed are never lost: then nothing is done. Raises HOST_GIT_FAILED,
 * HOST_GIT_BRANCH_ELSEWHERE.
 */
export function mergeIntoWorkingTree(door: GitDoor, wanted: WantedMerge): Promise<WorkingMerge> {
  return door.landing(async (landing) => {
    const from = committedHead(door);
    const { branch } = headOf(door);
    if (branch !== undefined) assertBranchFree(landing.place, branch);
    const { commit, message, by } = wanted;
    const { tree: to, entries } = await mergeTree(landing, from, commit);
    if (entries.length === 0) {
      const parents = ["-p", from, "-p", commit];
      const made = await landing.must(["commit-tree", to, ...parents], { stdin: message });
      const end = { kind: "merged", commit: made.stdout.trim() } as const;
      return { ...(await moveTree(landing, { by, from, to, end })), status: "merged" };
    }
    const end = { kind: "conflict", commit, message, entries } as const;
    const outcome = await moveTree(landing, { by, from, to, end });
    return { ...outcome, status: "conflict", files: (await unmergedIn(landing)).map(shownName) };
  });
}

/** What two commits give together, and the entries of the index that are in conflict. Raises HOST_GIT_FAILED. */
async function mergeTree(
  landing: Landing,
  from: string,
  commit: string,
): Promise<{ readonly tree: string; readonly entries: readonly string[] }> {
  const args = ["merge-tree", "--write-tree", "-z", "--no-messages", from, commit];
  const merged = await landing.run(args);
  if (merged.exitCode !== 0 && merged.exitCode !== 1)
    throw gitFailed({ cwd: landing.place.root, action: "merge", reason: merged.stderr.trim() });
  const [tree = "", ...entries] = fields(merged.stdout);
  return { tree, entries };
}

/** The commit that is being merged in a working tree; undefined when none is. */
export function mergingCommit({ place: { gitDirectory } }: GitDoor): string | undefined {
  return readFirstLine(join(gitDirectory, "MERGE_HEAD")) || undefined;
}

/** The files in conflict, from the root. Raises HOST_GIT_FAILED. */
export function unmergedPaths(door: GitDoor): Promise<readonly string[]> {
  return door.landing(async (landing) => (await unmergedIn(landing)).map(shownName));
}

/** Takes files as they are for resolved. Raises HOST_GIT_FAILED. */
export async function takeAsResolved(door: GitDoor, files: readonly string[]): Promise<void> {
  if (files.length === 0) return;
  const stdin = files.map((path) => `${path}\0`).join("");
  const args = ["update-index", "--add", "--remove", "-z", "--stdin"];
  await door.landing((landing) => landing.must(args, { stdin }));
}

/** Commits the merge that has begun, as it stands in the index. Raises HOST_GIT_FAILED, HOST_GIT_BRANCH_ELSEWHERE. */
export async function commitBegunMerge(door: GitDoor): Promise<void> {
  const { gitDirectory } = door.place;
  const from = committedHead(door);
  const merging = mergingCommit(door) ?? from;
  const message = readRegularFile(join(gitDirectory, "MERGE_MSG"), MAX_MESSAGE_BYTES);
  await door.landing(async (landing) => {
    // It was committed by a process that was killed before it could say so.
    if (await isAncestor(landing, { of: from, commit: merging })) return;
    const tree = (await landing.must(["write-tree", "--missing-ok"])).stdout.trim();
    const stdin = withoutComments(message) || "Merge\n";
    const parents = ["-p", from, "-p", merging];
    const made = await landing.must(["commit-tree", tree, ...parents], { stdin });
    await setHead(landing, { from, to: made.stdout.trim(), message: "merge by Troupe" });
  });
  forgetMerge(gitDirectory);
}

/**
 * Gives up the merge that has begun: what was in conflict is again as the commit has it, and so is what the merge has
 * changed and nobody else. Raises HOST_GIT_FAILED.
 */
export function giveMergeUp(door: GitDoor, by: string): Promise<MoveOutcome> {
  return door.landing(async (landing) => {
    const head = committedHead(door);
    const commit = mergingCommit(door);
    if (commit === undefined) return { edited: [] };
    const { tree: from, entries } = await mergeTree(landing, head, commit);
    const unmerged = new Set([...pathsOfEntries(entries), ...(await unmergedIn(landing))]);
    const end = { kind: "given-up", unmerged: [...unmerged] } as const;
    return moveTree(landing, { by, from, to: head, end });
  });
}

/**
 * Goes back to a commit; what was changed and not committed stays, or nothing is done. Raises HOST_GIT_FAILED,
 * HOST_GIT_BRANCH_ELSEWHERE.
 */
export async function goBackTo(
  door: GitDoor,
  { commit: to, by }: { readonly commit: string; readonly by: string },
): Promise<MoveOutcome> {
  const from = committedHead(door);
  if (from === to) return { edited: [] };
  return door.landing((landing) =>
    moveTree(landing, { by, from, to, end: { kind: "undone", commit: to } }),
  );
}

/** Checks a branch out, made here where there is none. Raises HOST_GIT_FAILED, HOST_GIT_BRANCH_ELSEWHERE. */
export async function checkOut(
  door: GitDoor,
  wanted: { readonly branch: string; readonly tip: string | undefined; readonly by: string },
): Promise<MoveOutcome> {
  const { branch, tip, by } = wanted;
  const from = committedHead(door);
  const [holder] = branchHolders(door.place, branch);
  if (holder !== undefined) throw branchElsewhere({ branch, ...holder });
  const end = { kind: "switched", branch } as const;
  return door.landing((landing) => moveTree(landing, { by, from, to: tip ?? from, end }));
}

/** What a killed process was changing in the working tree; undefined for nothing. Raises HOST_GIT_FAILED. */
export function pendingChange(door: GitDoor): TreeMove | undefined {
  return pendingMove(door.place);
}

/** Finishes what a killed process has begun to change. Raises HOST_GIT_FAILED, HOST_GIT_BRANCH_ELSEWHERE. */
export function finishChange(door: GitDoor): Promise<MoveOutcome> {
  return door.landing(finishMove);
}

/** Takes back what a killed process has begun to change. Raises HOST_GIT_FAILED. */
export function takeChangeBack(door: GitDoor): Promise<MoveOutcome> {
  return door.landing(takeMoveBack);
}

/** Whether the index has something that the commit does not. Raises HOST_GIT_FAILED. */
export function hasStaged(door: GitDoor): Promise<boolean> {
  const flags = ["--cached", "--quiet", "--ignore-submodules=all"];
  return door.landing(async (landing) => {
    const compared = await landing.run(["diff-index", ...flags, committedHead(door)]);
    return compared.exitCode !== 0;
  });
}

/** The id of the commit that is checked out. Raises HOST_GIT_FAILED before the first. */
export function committedHead(door: GitDoor): string {
  const { commit } = headOf(door);
  if (commit !== null) return commit;
  throw gitFailed({ cwd: door.place.root, action: "read HEAD", reason: "there is no commit" });
}

async function unmergedIn(landing: Landing): Promise<readonly string[]> {
  return pathsOfEntries(fields((await landing.must(["ls-files", "-u", "-z"])).stdout));
}

function withoutComments(message: string): string {
  const lines = message.split("\n").filter((line) => !line.startsWith("#"));
  const text = lines.join("\n").trim();
  return text === "" ? "" : `${text}\n`;
}
