import { lstatSync } from "node:fs";
import { join, relative } from "node:path";
import {
  addPatch,
  BoundedPatch,
  compareTrees,
  emptyTree,
  type TreeDifference,
} from "./compare-trees.ts";
import type { GitDoor } from "./git-door.ts";
import type { GitHost } from "./git-repositories.ts";
import { newFilePatch } from "./new-file-patch.ts";
import { stageWork } from "./stage-work.ts";
import { readWorkingChanges } from "./working-changes.ts";

/** A file that differs from a commit. */
export interface GitChange extends TreeDifference {
  /** False for what was last changed before the time that is asked for: the patch does not show it. */
  readonly isInPatch: boolean;
}

/** What differs between a commit and the working tree, files included that git does not know yet. */
export interface GitChanges {
  /** Of the working tree, absolute. */
  readonly root: string;
  readonly files: readonly GitChange[];
  /** As `git apply` takes it, unless it is cut. */
  readonly patch: string;
  /** Whether the end of the patch is left out. */
  readonly isCut: boolean;
}

/** What to compare. */
export interface GitChangesRequest {
  /** Id of a commit; null for the time before the first. */
  readonly base: string | null;
  readonly maxPatchChars: number;
  /** What was last changed before is left out of the patch; in ms since the epoch. */
  readonly sinceMs: number;
}

/** Two commits to compare, by their ids. */
export interface CommitPair {
  readonly from: string;
  readonly to: string;
  readonly maxPatchChars: number;
}

// Each is an argument of git.
const MAX_LEFT_OUT = 1_000;

/**
 * Compares the working tree around a directory with a commit, what is Troupe's own left out; `no-repository` and
 * `no-commit` say why that is impossible. Raises HOST_GIT_FAILED.
 */
export async function readGitChanges(
  { repositories }: GitHost,
  cwd: string,
  request: GitChangesRequest,
): Promise<GitChanges | "no-repository" | "no-commit"> {
  const door = await repositories.open(cwd);
  return door === undefined ? "no-repository" : door.alone(() => changesOf(door, request));
}

/** Compares two commits of the repository around a directory. Raises HOST_GIT_FAILED. */
export async function readCommitChanges(
  { repositories }: GitHost,
  cwd: string,
  { from, to, maxPatchChars }: CommitPair,
): Promise<GitChanges | "no-repository" | "no-commit"> {
  const door = await repositories.open(cwd);
  if (door === undefined) return "no-repository";
  return door.alone(async () => {
    if (!(await isCommit(door, from)) || !(await isCommit(door, to))) return "no-commit";
    const pair = { from, to, scope: scopeOf(door) };
    const files = await compareTrees(door, pair);
    const patch = new BoundedPatch(maxPatchChars);
    await addPatch(door, pair, patch);
    return {
      root: door.place.root,
      files: files.map((file) => ({ ...file, isInPatch: true })),
      patch: patch.text,
      isCut: patch.isCut,
    };
  });
}

async function changesOf(
  door: GitDoor,
  { base, maxPatchChars, sinceMs }: GitChangesRequest,
): Promise<GitChanges | "no-commit"> {
  if (base !== null && !(await isCommit(door, base))) return "no-commit";
  const { root } = door.place;
  const changes = await readWorkingChanges(door);
  const { tree } = await stageWork(door, { changes, takesNew: false, objects: undefined });
  const scope = scopeOf(door);
  const pair = { from: base ?? (await emptyTree(door)), to: tree, scope };
  const isOlder = ({ path }: TreeDifference) => changedAt(join(root, path)) < sinceMs;
  const known = await compareTrees(door, pair);
  const older = known.filter(isOlder).slice(0, MAX_LEFT_OUT);
  const patch = new BoundedPatch(maxPatchChars);
  await addPatch(door, { ...pair, scope: [...scope, ...older.map(without)] }, patch);
  const untracked = changes.files
    .filter(({ kind }) => kind === "new")
    .map(({ path }) => ({ path, kind: "create" as const }));
  const added = untracked.filter((file) => !isOlder(file));
  for (const { path } of added)
    if (!patch.isCut) patch.add(newFilePatch(root, path, maxPatchChars));
  const shown = new Set([...known.filter((file) => !older.includes(file)), ...added]);
  return {
    root,
    files: [...known, ...untracked].map((file) => ({ ...file, isInPatch: shown.has(file) })),
    patch: patch.text,
    isCut: patch.isCut,
  };
}

/** All but what is Troupe's own. */
function scopeOf({ ownFiles, place }: GitDoor): readonly string[] {
  const own = ownFiles.map((path) => relative(place.root, path)).filter(isInside);
  return [".", ...own.map((path) => without({ path }))];
}

function without({ path }: Pick<TreeDifference, "path">): string {
  return `:(top,exclude,literal)${path}`;
}

async function isCommit(door: GitDoor, commit: string): Promise<boolean> {
  return (await door.run(["cat-file", "-e", `${commit}^{commit}`])).exitCode === 0;
}

function isInside(path: string): boolean {
  return path !== "" && !path.startsWith("..");
}

/**
 * In ms since the epoch; of what is gone nobody knows when it went. The time of its inode counts too: a copy may
 * keep the other one.
 */
function changedAt(path: string): number {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined ? Infinity : Math.max(found.mtimeMs, found.ctimeMs);
}
