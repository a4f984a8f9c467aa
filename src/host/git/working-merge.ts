import { join } from "node:path";
import { gitFailed } from "../system/errors.ts";
import type { GitDoor, Landing } from "./git-door.ts";
import { readFirstLine, readRegularFile } from "./read-regular-file.ts";
import { moveHead, moveRef, removeGitFile, replaceGitFile } from "./update-ref.ts";
import { fields, headOf } from "./working-changes.ts";

// Merges in the working tree of a user by plumbing alone: no hook, filter, driver or editor is started.
// What is left after a conflict is what git itself leaves, so that a person can go on with git.

/** What is merged into what is checked out. */
export interface WantedMerge {
  /** Id of a commit. */
  readonly commit: string;
  readonly message: string;
}

/** How merging went. */
export type WorkingMerge =
  | { readonly status: "merged" }
  | { readonly status: "conflict"; readonly files: readonly string[] };

const MAX_MESSAGE_BYTES = 64 * 1024;

/**
 * Merges a commit into what is checked out, with a commit of its own, or leaves the conflict in the working tree.
 * Files that were changed and not committed are never lost: then nothing is done. Raises HOST_GIT_FAILED.
 */
export function mergeIntoWorkingTree(door: GitDoor, wanted: WantedMerge): Promise<WorkingMerge> {
  return door.landing(async (landing) => {
    const from = committedHead(door);
    const { commit, message } = wanted;
    const args = ["merge-tree", "--write-tree", "-z", "--no-messages", from, commit];
    const merged = await landing.run(args);
    if (merged.exitCode !== 0 && merged.exitCode !== 1)
      throw gitFailed({ cwd: door.place.root, action: "merge", reason: merged.stderr.trim() });
    const [tree = "", ...conflicts] = fields(merged.stdout);
    await changeFiles(landing, from, tree);
    if (merged.exitCode === 0) {
      const parents = ["-p", from, "-p", commit];
      const made = await landing.must(["commit-tree", tree, ...parents], { stdin: message });
      await moveHead(landing, { from, to: made.stdout.trim(), message: "merge by Troupe" });
      return { status: "merged" };
    }
    return { status: "conflict", files: await leaveConflict(landing, wanted, conflicts) };
  });
}

/** The commit that is being merged in a working tree; undefined when none is. */
export function mergingCommit({ place: { gitDirectory } }: GitDoor): string | undefined {
  return readFirstLine(join(gitDirectory, "MERGE_HEAD")) || undefined;
}

/** The files in conflict, from the root. Raises HOST_GIT_FAILED. */
export function unmergedPaths(door: GitDoor): Promise<readonly string[]> {
  return door.landing(unmergedIn);
}

/** Takes files as they are for resolved. Raises HOST_GIT_FAILED. */
export async function takeAsResolved(door: GitDoor, files: readonly string[]): Promise<void> {
  if (files.length === 0) return;
  const stdin = files.map((path) => `${path}\0`).join("");
  const args = ["update-index", "--add", "--remove", "-z", "--stdin"];
  await door.landing((landing) => landing.must(args, { stdin }));
}

/** Commits the merge that has begun, as it stands in the index. Raises HOST_GIT_FAILED. */
export async function commitBegunMerge(door: GitDoor): Promise<void> {
  const { gitDirectory } = door.place;
  const from = committedHead(door);
  const merging = mergingCommit(door) ?? from;
  const message = readRegularFile(join(gitDirectory, "MERGE_MSG"), MAX_MESSAGE_BYTES);
  await door.landing(async (landing) => {
    const tree = (await landing.must(["write-tree", "--missing-ok"])).stdout.trim();
    const stdin = withoutComments(message) || "Merge\n";
    const parents = ["-p", from, "-p", merging];
    const made = await landing.must(["commit-tree", tree, ...parents], { stdin });
    await moveHead(landing, { from, to: made.stdout.trim(), message: "merge by Troupe" });
  });
  forgetMerge(gitDirectory);
}

/** Gives up the merge that has begun: files are again as the commit has them. Raises HOST_GIT_FAILED. */
export async function giveMergeUp(door: GitDoor): Promise<void> {
  const head = committedHead(door);
  await door.landing((landing) => landing.must(["read-tree", "--reset", "-u", head]));
  forgetMerge(door.place.gitDirectory);
}

/** Goes back to a commit; what was changed and not committed stays, or nothing is done. Raises HOST_GIT_FAILED. */
export async function goBackTo(door: GitDoor, to: string): Promise<void> {
  const from = committedHead(door);
  await door.landing(async (landing) => {
    await changeFiles(landing, from, to);
    await moveHead(landing, { from, to, message: "reset by Troupe" });
  });
}

/** Checks a branch out, made here where there is none. Raises HOST_GIT_FAILED. */
export async function checkOut(
  door: GitDoor,
  { branch, tip }: { readonly branch: string; readonly tip: string | undefined },
): Promise<void> {
  const from = committedHead(door);
  const ref = `refs/heads/${branch}`;
  await door.landing(async (landing) => {
    if (tip === undefined)
      await moveRef(landing, { ref, from: null, to: from, message: "branch: made by Troupe" });
    await changeFiles(landing, from, tip ?? from);
    replaceGitFile(door.place.gitDirectory, "HEAD", `ref: ${ref}\n`);
  });
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

/** Changes the files from one tree to another; those with changes of their own make it refuse, with nothing done. */
async function changeFiles(landing: Landing, from: string, to: string): Promise<void> {
  // What was only touched is no change. It ends with 1 where something is.
  await landing.run(["update-index", "-q", "--refresh"]);
  await landing.must(["read-tree", "-m", "-u", from, to]);
}

async function leaveConflict(
  landing: Landing,
  { commit, message }: WantedMerge,
  conflicts: readonly string[],
): Promise<readonly string[]> {
  const { gitDirectory } = landing.place;
  const paths = [...new Set(conflicts.map((entry) => entry.slice(entry.indexOf("\t") + 1)))];
  const none = "0".repeat(commit.length);
  const removed = paths.map((path) => `0 ${none}\t${path}\0`);
  const stages = conflicts.map((entry) => `${entry}\0`);
  // Before the stages, so that a person who is interrupted here finds a merge and not stray changes.
  replaceGitFile(gitDirectory, "MERGE_MSG", `${message}\n`);
  replaceGitFile(gitDirectory, "MERGE_MODE", "no-ff");
  replaceGitFile(gitDirectory, "MERGE_HEAD", `${commit}\n`);
  const stdin = [...removed, ...stages].join("");
  await landing.must(["update-index", "-z", "--index-info"], { stdin });
  return unmergedIn(landing);
}

async function unmergedIn(landing: Landing): Promise<readonly string[]> {
  const listed = fields((await landing.must(["ls-files", "-u", "-z"])).stdout);
  return [...new Set(listed.map((entry) => entry.slice(entry.indexOf("\t") + 1)))];
}

function forgetMerge(gitDirectory: string): void {
  for (const name of ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE"])
    removeGitFile(gitDirectory, name);
}

function withoutComments(message: string): string {
  const lines = message.split("\n").filter((line) => !line.startsWith("#"));
  const text = lines.join("\n").trim();
  return text === "" ? "" : `${text}\n`;
}
