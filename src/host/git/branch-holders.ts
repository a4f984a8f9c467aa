import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemErrorCode } from "../system/system-error.ts";
import { readFirstLine, readRegularFile } from "./read-regular-file.ts";
import type { RepositoryPlace } from "./repository-place.ts";

/** A working tree that would change under its user if a branch moved. */
export interface BranchHolder {
  /** Of the working tree, absolute. */
  readonly root: string;
  readonly reason: "is checked out" | "is being rebased" | "is being bisected";
}

const MAX_CONFIG_BYTES = 1024 * 1024;

/**
 * The working trees of a repository that hold a branch, by the rule of git itself: it is checked out there, or a rebase
 * or bisection there will come back to it. What the working tree at `place` has checked out does not count.
 */
export function branchHolders(place: RepositoryPlace, branch: string): readonly BranchHolder[] {
  const found = [mainHolder(place, branch), ...linkedHolders(place, branch)];
  return found.filter((holder) => holder !== undefined);
}

/** As `branchHolders`, without the working tree at `place`. */
export function otherHolders(place: RepositoryPlace, branch: string): readonly BranchHolder[] {
  return branchHolders(place, branch).filter(({ root }) => root !== place.root);
}

function mainHolder(place: RepositoryPlace, branch: string): BranchHolder | undefined {
  const { commonDirectory, gitDirectory } = place;
  if (gitDirectory === commonDirectory)
    return holderIn(place, { directory: gitDirectory, root: place.root, branch });
  const config = readRegularFile(join(commonDirectory, "config"), MAX_CONFIG_BYTES);
  if (/^\s*bare\s*=\s*(?:true|yes|on|1)\s*$/im.test(config)) return undefined;
  const isInside = basename(commonDirectory) === ".git";
  const root = isInside ? dirname(commonDirectory) : commonDirectory;
  return holderIn(place, { directory: commonDirectory, root, branch });
}

function linkedHolders(
  place: RepositoryPlace,
  branch: string,
): readonly (BranchHolder | undefined)[] {
  const parent = join(place.commonDirectory, "worktrees");
  return namesIn(parent).map((name) => {
    const directory = join(parent, name);
    const root = dirname(readFirstLine(join(directory, "gitdir")));
    // Nobody works in a directory that is gone, unless it is on a disk that comes back.
    const isThere = existsSync(root) || existsSync(join(directory, "locked"));
    return isThere ? holderIn(place, { directory, root, branch }) : undefined;
  });
}

interface HolderSearch {
  /** Of git, for one working tree. */
  readonly directory: string;
  readonly root: string;
  readonly branch: string;
}

function holderIn(
  place: RepositoryPlace,
  { directory, root, branch }: HolderSearch,
): BranchHolder | undefined {
  const ref = `refs/heads/${branch}`;
  const isOwn = directory === place.gitDirectory;
  if (!isOwn && readFirstLine(join(directory, "HEAD")) === `ref: ${ref}`)
    return { root, reason: "is checked out" };
  const names = new Set(namesIn(directory));
  for (const name of ["rebase-merge", "rebase-apply"]) {
    if (!names.has(name)) continue;
    const updated = readRegularFile(join(directory, name, "update-refs"), MAX_CONFIG_BYTES);
    const isHead = readFirstLine(join(directory, name, "head-name")) === ref;
    if (isHead || updated.split("\n").includes(ref)) return { root, reason: "is being rebased" };
  }
  const isBisected =
    names.has("BISECT_START") && readFirstLine(join(directory, "BISECT_START")) === branch;
  return isBisected ? { root, reason: "is being bisected" } : undefined;
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}
