import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { TroupeError } from "../../foundation/errors.ts";
import { gitFailed } from "../system/errors.ts";
import type { GitDoor, Landing } from "./git-door.ts";
import { isCommitId, readRef } from "./git-head.ts";
import type { GitHost, GitRepositories } from "./git-repositories.ts";
import { readRegularFile } from "./read-regular-file.ts";
import { hasCommit, isAncestor } from "./repository.ts";
import { findRepositoryPlace } from "./repository-place.ts";
import { assertUnfiltered, stageWork } from "./stage-work.ts";
import { moveHead, moveRef, replaceGitFile } from "./update-ref.ts";
import { fields, headOf, readWorkingChanges, type WorkingChanges } from "./working-changes.ts";
import {
  addWorktreeRecord,
  draftOf,
  findRecord,
  removalOf,
  removeRecord,
  stateOfWorktree,
  type Worktree,
} from "./worktree-registry.ts";

// Owns worktrees from their making to their removal.
// X1: a worktree is complete or absent: it is filled under another name and renamed when nothing is missing, and
//     renamed away before anything of it is removed.
// X2: nothing is committed from a worktree that was not complete.

/** What is in a worktree when its agent is done. */
export interface WorktreeEnd {
  /** Id of the last commit. */
  readonly commit: string;
  /** Files that differ from the base. */
  readonly files: number;
  /** Error that left the index of the worktree behind its commit; absent when all went well. */
  readonly problem?: TroupeError;
}

const MAX_LOG_BYTES = 16 * 1024 * 1024;

/**
 * Makes a worktree with its branch, or again the directory of a branch that is there already. What an interrupted
 * attempt left is removed first. One at a time per repository. Raises HOST_GIT_FAILED.
 */
export async function addWorktree(host: GitHost, worktree: Worktree): Promise<void> {
  const { path, branch, base, start = base } = worktree;
  assertFree(worktree);
  const main = await doorOf(host.repositories, worktree.root);
  const ref = `refs/heads/${branch}`;
  if (readRef(main.place, ref) === undefined) {
    const message = "branch: made by Troupe";
    await main.landing((landing) => moveRef(landing, { ref, from: null, to: start, message }));
  }
  const draft = draftOf(path);
  const removed = removalOf(path);
  for (const left of [draft, removed]) rmSync(left, { recursive: true, force: true });
  const gitDirectory = addWorktreeRecord(main.place, worktree);
  try {
    mkdirSync(draft, { recursive: true });
    writeFileSync(join(draft, ".git"), `gitdir: ${gitDirectory}\n`);
    const { commonDirectory } = main.place;
    const door = await host.repositories.openAt({
      ...{ root: realpathSync(draft), gitDirectory, commonDirectory },
    });
    const tip = headOf(door).commit ?? start;
    await door.landing((landing) => landing.must(["read-tree", "-m", "-u", tip]));
    rmSync(path, { recursive: true, force: true });
    renameSync(draft, path);
    // Opened before its agent starts, so that what the agent writes into the configuration does not count.
    const root = realpathSync(path);
    await host.repositories.openAt({ root, gitDirectory, commonDirectory });
  } catch (error) {
    if (!existsSync(path)) discard([draft, gitDirectory]);
    throw error;
  }
}

/** Raises HOST_GIT_FAILED where something is that an interrupted attempt has not left. */
function assertFree({ root, path }: Worktree): void {
  const state = stateOfWorktree({ root, path });
  if (state !== "complete" && state !== "unknown") return;
  const isEmpty = lstatSync(path).isDirectory() && readdirSync(path).length === 0;
  if (isEmpty) return;
  throw gitFailed({ cwd: root, action: "making of a worktree", reason: `${path} already exists` });
}

/** Removes what a failed attempt left. What stays is removed by the next attempt, so a failure here says nothing new. */
function discard(paths: readonly string[]): void {
  for (const path of paths) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {}
  }
}

/**
 * Commits what a worktree holds beyond its last commit and leaves its branch at the end of it all, wherever the
 * agent had moved to. Resolves with undefined when there is nothing beyond the base. Raises HOST_GIT_FAILED,
 * HOST_GIT_FILTERED.
 */
export async function concludeWorktree(
  host: GitHost,
  worktree: Worktree,
  message: string,
): Promise<WorktreeEnd | undefined> {
  const door = await worktreeDoor(host.repositories, worktree);
  return door.alone(async () => {
    await restoreBranch(door, worktree);
    const { commit, problem } = await commitWork(door, message);
    if (commit === null || commit === worktree.base) return undefined;
    await followWork(door, worktree, commit);
    const files = await countChanges(door, worktree.base, commit);
    return problem === undefined ? { commit, files } : { commit, files, problem };
  });
}

/**
 * What the branch of a worktree holds beyond its base, of a worktree that is gone; undefined when that is nothing.
 * Raises HOST_GIT_FAILED.
 */
export async function readBranchEnd(
  host: GitHost,
  { root, branch, base }: Worktree,
): Promise<WorktreeEnd | undefined> {
  const door = await doorOf(host.repositories, root);
  const commit = readRef(door.place, `refs/heads/${branch}`);
  if (commit === undefined || commit === base) return undefined;
  return { commit, files: await countChanges(door, base, commit) };
}

async function countChanges(
  door: Pick<GitDoor, "must">,
  base: string,
  commit: string,
): Promise<number> {
  const flags = ["-r", "--name-only", "-z", "--no-renames"];
  const listed = await door.must(["diff-tree", ...flags, base, commit]);
  return fields(listed.stdout).length;
}

/**
 * Makes the branch that a worktree has checked out again if it was deleted: without it the work would be committed as
 * the first commit of another history.
 */
async function restoreBranch(door: GitDoor, { branch, base }: Worktree): Promise<void> {
  const head = headOf(door);
  if (head.commit !== null || head.branch !== branch) return;
  const to = (await lastCommitOf(door)) ?? base;
  const message = "branch: restored by Troupe";
  await door.landing((landing) =>
    moveRef(landing, { ref: `refs/heads/${branch}`, from: null, to, message }),
  );
}

/** The last commit that the log of a HEAD names and the repository still has. */
async function lastCommitOf(door: GitDoor): Promise<string | undefined> {
  const log = readRegularFile(join(door.place.gitDirectory, "logs", "HEAD"), MAX_LOG_BYTES);
  const ids = log.split("\n").map((line) => line.split(" ", 2)[1] ?? "");
  const last = ids.findLast((id) => isCommitId(id) && !/^0+$/.test(id));
  return last !== undefined && (await hasCommit(door, last)) ? last : undefined;
}

interface CommittedWork {
  /** Where the working tree stands then. */
  readonly commit: string | null;
  readonly problem?: TroupeError;
}

/** Commits all work in a working tree onto what it has checked out. */
async function commitWork(door: GitDoor, message: string): Promise<CommittedWork> {
  const changes = await readWorkingChanges(door);
  const from = changes.head.commit;
  if (!hasWork(changes)) return { commit: from };
  const objects = realpathSync(join(door.place.commonDirectory, "objects"));
  const staged = await stageWork(door, { changes, takesNew: true, objects });
  assertUnfiltered(door, staged);
  return door.landing(async (landing) => {
    const parents = from === null ? [] : ["-p", from];
    const made = await landing.must(["commit-tree", staged.tree, ...parents], { stdin: message });
    const to = made.stdout.trim();
    await moveHead(landing, { from, to, message: `commit: ${message.split("\n", 1)[0]}` });
    try {
      replaceGitFile(door.place.gitDirectory, "index", readFileSync(staged.index));
    } catch (error) {
      // The work is committed. Only the index of its worktree is behind, mostly because of a lock that was left.
      if (error instanceof TroupeError) return { commit: to, problem: error };
      throw error;
    }
    return { commit: to };
  });
}

function hasWork({ files, links }: WorkingChanges): boolean {
  return files.length > 0 || links.some(({ committed, present }) => committed !== present);
}

/** An agent that switched the branch has its work somewhere else: its own branch follows if nothing is lost by it. */
async function followWork(
  door: GitDoor,
  { branch }: Pick<Worktree, "branch">,
  to: string,
): Promise<void> {
  if (headOf(door).branch === branch) return;
  const ref = `refs/heads/${branch}`;
  const from = readRef(door.place, ref) ?? null;
  if (from !== null && !(await isAncestor(door, { of: to, commit: from }))) return;
  const message = "branch: follows the work of its agent";
  await door.landing((landing) => moveRef(landing, { ref, from, to, message }));
}

/**
 * Whether a working tree holds something that no commit has. What is Troupe's own does not count, nor do files
 * whose filter would have to be run to tell. Raises HOST_GIT_FAILED.
 */
export async function isDirty(
  host: GitHost,
  path: string,
  { sees }: { readonly sees: "all" | "followed" } = { sees: "all" },
): Promise<boolean> {
  const door = await doorOf(host.repositories, path);
  const changes = await door.alone(() => readWorkingChanges(door));
  const files = changes.files.filter(({ kind, filter }) => {
    if (filter !== undefined && filter !== "lfs" && kind === "edited") return false;
    return sees === "all" || kind !== "new";
  });
  return hasWork({ ...changes, files });
}

/**
 * Removes a worktree with all that is in it, or finishes a removal that was interrupted. Its branch stays. Raises
 * HOST_GIT_FAILED and the system's own errors.
 */
export async function removeWorktree(
  host: GitHost,
  { root, path }: Pick<Worktree, "root" | "path">,
): Promise<void> {
  const { place } = await doorOf(host.repositories, root);
  const removed = removalOf(path);
  if (existsSync(path)) {
    if (findRecord(place, path) === undefined) throw notOf(root, path);
    rmSync(removed, { recursive: true, force: true });
    mkdirSync(dirname(removed), { recursive: true });
    renameSync(path, removed);
  }
  removeRecord(place, path);
  if (!existsSync(removed)) return;
  for (const name of readdirSync(removed))
    rmSync(join(removed, name), { recursive: true, force: true });
}

/** Removes a branch if it still ends at this commit; resolves with whether it is gone. */
export async function removeBranch(
  host: GitHost,
  root: string,
  { branch, commit }: { readonly branch: string; readonly commit: string },
): Promise<boolean> {
  const door = await doorOf(host.repositories, root);
  const args = ["update-ref", "-d", `refs/heads/${branch}`, commit];
  const removed = await door.landing((landing: Landing) => landing.run(args));
  return removed.exitCode === 0;
}

/** The working tree at a directory. Raises HOST_GIT_FAILED where there is none. */
export async function doorOf(repositories: GitRepositories, cwd: string): Promise<GitDoor> {
  const door = await repositories.open(cwd);
  if (door !== undefined) return door;
  const reason = "it is no working tree of git, or git is not installed";
  throw gitFailed({ cwd, action: "use of the repository", reason });
}

/** A worktree by what its repository knows of it: an agent may have written another `.git` there. */
function worktreeDoor(
  repositories: GitRepositories,
  { root, path }: Pick<Worktree, "root" | "path">,
): Promise<GitDoor> {
  const place = findRepositoryPlace(root);
  const gitDirectory = place === undefined ? undefined : findRecord(place, path);
  if (place !== undefined && gitDirectory !== undefined && existsSync(path)) {
    const { commonDirectory } = place;
    return repositories.openAt({ root: realpathSync(path), gitDirectory, commonDirectory });
  }
  throw notOf(root, path);
}

function notOf(root: string, path: string): TroupeError {
  const reason = `${path} is no worktree of it`;
  return gitFailed({ cwd: root, action: "use of a worktree", reason });
}
