import type { GitDoor } from "./git-door.ts";
import { readBranchHead, readRef } from "./git-head.ts";
import type { GitHost } from "./git-repositories.ts";
import { listRealIndex } from "./real-index.ts";
import { findRepositoryPlace } from "./repository-place.ts";
import { headOf } from "./working-changes.ts";

/** A repository as it is found around a directory. */
export interface Repository {
  /** Of the working tree, absolute. */
  readonly root: string;
  /** What all working trees of the repository share, absolute. */
  readonly commonDirectory: string;
  /** Of the commit that is checked out; undefined before the first one. */
  readonly commit: string | undefined;
  /** Undefined when no branch is checked out. */
  readonly branch: string | undefined;
  readonly hasSubmodules: boolean;
}

/** The repository around a directory; undefined where there is none, or none with a working tree. Raises HOST_GIT_FAILED. */
export async function readRepository(
  { repositories }: GitHost,
  cwd: string,
): Promise<Repository | undefined> {
  const door = await repositories.open(cwd);
  if (door === undefined) return undefined;
  const { root, commonDirectory } = door.place;
  const { commit, branch } = headOf(door);
  const listed = await door.alone(async () =>
    listRealIndex(door, ["--", ":(top,literal).gitmodules"]),
  );
  const hasSubmodules = listed !== undefined && listed.length > 0;
  return { root, commonDirectory, commit: commit ?? undefined, branch, hasSubmodules };
}

/** The id of the commit of a branch, which has to be there; undefined when there is none. */
export function readBranchTip(cwd: string, branch: string): string | undefined {
  return readWholeRef(cwd, `refs/heads/${branch}`);
}

/** The id that a reference stands for, by its whole name, from files alone; undefined when there is none. */
export function readWholeRef(cwd: string, name: string): string | undefined {
  const place = findRepositoryPlace(cwd);
  return place === undefined ? undefined : readRef(place, name);
}

/** The branch that a working tree has checked out; undefined when it is none. */
export function readBranch(cwd: string): string | undefined {
  const place = findRepositoryPlace(cwd);
  return place === undefined ? undefined : readBranchHead(place)?.branch;
}

/** Whether a repository has a commit of this id. */
export async function hasCommit(door: Pick<GitDoor, "run">, commit: string): Promise<boolean> {
  return (await door.run(["cat-file", "-e", `${commit}^{commit}`])).exitCode === 0;
}

/** Whether everything of one commit is part of another; both by their ids. */
export async function isAncestor(
  door: Pick<GitDoor, "run">,
  { of, commit }: { readonly of: string; readonly commit: string },
): Promise<boolean> {
  return (await door.run(["merge-base", "--is-ancestor", commit, of])).exitCode === 0;
}
