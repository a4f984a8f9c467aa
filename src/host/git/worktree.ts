import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gitFailed } from "../system/errors.ts";
import type { GitDoor, Landing } from "./git-door.ts";
import { readRef } from "./git-head.ts";
import type { GitHost, GitRepositories } from "./git-repositories.ts";
import { readFirstLine } from "./read-regular-file.ts";
import { isAncestor } from "./repository.ts";
import { findRepositoryPlace, type RepositoryPlace } from "./repository-place.ts";
import { assertUnfiltered, stageWork } from "./stage-work.ts";
import { assertPlainDirectory, moveHead, moveRef, replaceGitFile } from "./update-ref.ts";
import { fields, headOf, readWorkingChanges, type WorkingChanges } from "./working-changes.ts";

/** A working tree of its own, on a branch of its own. */
export interface Worktree {
  /** Root of the working tree that it was made from. */
  readonly root: string;
  /** Absolute directory. */
  readonly path: string;
  readonly branch: string;
  /** Id of the commit where the branch began. */
  readonly base: string;
}

/** What is in a worktree when its agent is done. */
export interface WorktreeEnd {
  /** Id of the last commit. */
  readonly commit: string;
  /** Files that differ from the base. */
  readonly files: number;
}

const COMMON = "../..";

/**
 * Makes a worktree with its branch, or again the directory of a branch that is there already. One at a time per
 * repository. Raises HOST_GIT_FAILED.
 */
export async function addWorktree(host: GitHost, worktree: Worktree): Promise<void> {
  const { root, path, branch, base } = worktree;
  const main = await doorOf(host.repositories, root);
  const ref = `refs/heads/${branch}`;
  if (readRef(main.place, ref) === undefined) {
    const message = "branch: made by Troupe";
    await main.landing((landing) => moveRef(landing, { ref, from: null, to: base, message }));
  }
  const gitDirectory = register(main.place, worktree);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, ".git"), `gitdir: ${gitDirectory}\n`);
  const { commonDirectory } = main.place;
  const door = await host.repositories.openAt({
    ...{ root: realpathSync(path), gitDirectory, commonDirectory },
  });
  const tip = headOf(door).commit ?? base;
  await door.landing((landing) => landing.must(["read-tree", "-m", "-u", tip]));
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
    const commit = await commitWork(door, message);
    if (commit === null || commit === worktree.base) return undefined;
    await followWork(door, worktree, commit);
    const flags = ["-r", "--name-only", "-z", "--no-renames"];
    const listed = await door.must(["diff-tree", ...flags, worktree.base, commit]);
    return { commit, files: fields(listed.stdout).length };
  });
}

/** Commits all work in a working tree onto what it has checked out; resolves with where that stands then. */
async function commitWork(door: GitDoor, message: string): Promise<string | null> {
  const changes = await readWorkingChanges(door);
  const from = changes.head.commit;
  if (!hasWork(changes)) return from;
  const objects = realpathSync(join(door.place.commonDirectory, "objects"));
  const staged = await stageWork(door, { changes, takesNew: true, objects });
  assertUnfiltered(door, staged);
  return door.landing(async (landing) => {
    const parents = from === null ? [] : ["-p", from];
    const made = await landing.must(["commit-tree", staged.tree, ...parents], { stdin: message });
    const to = made.stdout.trim();
    await moveHead(landing, { from, to, message: `commit: ${message.split("\n", 1)[0]}` });
    replaceGitFile(door.place.gitDirectory, "index", readFileSync(staged.index));
    return to;
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

/** Removes a worktree with all that is in it. Its branch stays. Raises HOST_GIT_FAILED. */
export async function removeWorktree(
  host: GitHost,
  worktree: Pick<Worktree, "root" | "path">,
): Promise<void> {
  const { place } = await worktreeDoor(host.repositories, worktree);
  rmSync(place.root, { recursive: true, force: true });
  rmSync(place.gitDirectory, { recursive: true, force: true });
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
  const gitDirectory = place === undefined ? undefined : registered(place, path);
  if (place !== undefined && gitDirectory !== undefined && existsSync(path)) {
    const { commonDirectory } = place;
    return repositories.openAt({ root: realpathSync(path), gitDirectory, commonDirectory });
  }
  const reason = `${path} is no worktree of it`;
  throw gitFailed({ cwd: root, action: "use of a worktree", reason });
}

/** What a repository keeps of the worktree at a path. */
function registered({ commonDirectory }: RepositoryPlace, path: string): string | undefined {
  const directory = join(commonDirectory, "worktrees");
  if (!existsSync(directory)) return undefined;
  assertPlainDirectory(directory);
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(directory, entry.name))
    .find((each) => readFirstLine(join(each, "gitdir")) === join(path, ".git"));
}

/** Has a repository know a worktree as git itself would; returns what it keeps of it. */
function register(place: RepositoryPlace, { path, branch }: Worktree): string {
  const known = registered(place, path);
  if (known !== undefined) rmSync(known, { recursive: true });
  const parent = join(place.commonDirectory, "worktrees");
  mkdirSync(parent, { recursive: true });
  const directory = freeDirectory(join(parent, branch.replaceAll("/", "-")));
  mkdirSync(directory);
  writeFileSync(join(directory, "gitdir"), `${join(path, ".git")}\n`);
  writeFileSync(join(directory, "commondir"), `${COMMON}\n`);
  writeFileSync(join(directory, "HEAD"), `ref: refs/heads/${branch}\n`);
  const sparse = join(place.gitDirectory, "info", "sparse-checkout");
  if (existsSync(sparse)) {
    mkdirSync(join(directory, "info"));
    writeFileSync(join(directory, "info", "sparse-checkout"), readFileSync(sparse));
  }
  return directory;
}

function freeDirectory(path: string): string {
  for (let count = 0; ; count += 1) {
    const directory = count === 0 ? path : `${path}-${count}`;
    if (!existsSync(directory)) return directory;
  }
}
