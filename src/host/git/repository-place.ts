import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { systemErrorCode } from "../system/system-error.ts";
import { readFirstLine } from "./read-regular-file.ts";

/** Where a working tree and its repository lie; all absolute, with links resolved. */
export interface RepositoryPlace {
  /** Of the working tree: where its `.git` lies, whatever the repository's configuration says. */
  readonly root: string;
  /** What belongs to this working tree alone. */
  readonly gitDirectory: string;
  /** What all working trees of the repository share. */
  readonly commonDirectory: string;
}

/**
 * The repository around a directory, found from its files alone: no program is started. Undefined outside a
 * working tree, and where the files claim to belong to another repository.
 */
export function findRepositoryPlace(cwd: string): RepositoryPlace | undefined {
  try {
    return placeAround(realpathSync(cwd));
  } catch (error) {
    // No right to look is as good as nothing to see.
    if (systemErrorCode(error) === undefined) throw error;
    return undefined;
  }
}

function placeAround(start: string): RepositoryPlace | undefined {
  for (let directory = start; ; directory = dirname(directory)) {
    const gitDirectory = gitDirectoryOf(directory);
    if (gitDirectory !== undefined) return toPlace(directory, gitDirectory);
    // A repository without a working tree, or the inside of one.
    if (isGitDirectory(directory)) return undefined;
    if (dirname(directory) === directory) return undefined;
  }
}

/** What the `.git` of a directory is or names; undefined when there is none. */
export function gitDirectoryOf(directory: string): string | undefined {
  const path = join(directory, ".git");
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return isGitDirectory(path) ? realpathSync(path) : undefined;
  if (!stat?.isFile()) return undefined;
  const [, target] = /^gitdir: (.+)$/.exec(readFirstLine(path)) ?? [];
  if (target === undefined) return undefined;
  const named = resolve(directory, target);
  return existsSync(named) ? realpathSync(named) : undefined;
}

function isGitDirectory(directory: string): boolean {
  const isKind = (name: string, kind: "isFile" | "isDirectory") =>
    statSync(join(directory, name), { throwIfNoEntry: false })?.[kind]() ?? false;
  const hasHead = isKind("HEAD", "isFile");
  return hasHead && isKind("objects", "isDirectory") && isKind("refs", "isDirectory");
}

function toPlace(root: string, gitDirectory: string): RepositoryPlace | undefined {
  const commonDirectory = commonDirectoryOf(gitDirectory);
  if (commonDirectory === undefined || !isGitDirectory(commonDirectory)) return undefined;
  return { root, gitDirectory, commonDirectory };
}

/** The directory shared with other working trees; undefined when one is named that this is no part of. */
export function commonDirectoryOf(gitDirectory: string): string | undefined {
  const path = join(gitDirectory, "commondir");
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return gitDirectory;
  const named = resolve(gitDirectory, readFirstLine(path));
  const common = existsSync(named) ? realpathSync(named) : named;
  // Whoever can write the file could otherwise have another repository read or changed.
  return dirname(gitDirectory) === join(common, "worktrees") ? common : undefined;
}
