import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { gitFailed } from "../system/errors.ts";
import { systemErrorCode } from "../system/system-error.ts";
import { readBranchHead } from "./git-head.ts";
import { commonDirectoryOf, gitDirectoryOf } from "./repository-place.ts";

const MOST_FILES = 100_000;

/** The commit that a nested repository has checked out, from its files alone; undefined when that cannot be told. */
export function nestedCommit(directory: string): string | undefined {
  try {
    const gitDirectory = gitDirectoryOf(directory);
    const commonDirectory = gitDirectory && commonDirectoryOf(gitDirectory);
    if (gitDirectory === undefined || commonDirectory === undefined) return undefined;
    return readBranchHead({ gitDirectory, commonDirectory })?.commit ?? undefined;
  } catch (error) {
    // Half a repository is none.
    if (systemErrorCode(error) === undefined) throw error;
    return undefined;
  }
}

/**
 * The files and links below a directory that git does not enter, from `root`, those of git itself left out.
 * Raises HOST_GIT_FAILED when there are too many.
 */
export function nestedFiles(root: string, directory: string): readonly string[] {
  const files: string[] = [];
  const pending = [directory];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    for (const entry of entriesOf(join(root, path))) {
      const below = `${path}/${entry.name}`;
      if (entry.name === ".git") continue;
      if (entry.isDirectory()) pending.push(below);
      else if (entry.isFile() || entry.isSymbolicLink()) files.push(below);
    }
    if (files.length + pending.length > MOST_FILES) {
      const reason = `${directory} is a repository of its own with more than ${MOST_FILES} files`;
      throw gitFailed({ cwd: root, action: "reading", reason });
    }
  }
  return files.sort();
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    // Gone meanwhile, or closed to us: then nothing in it can be told apart.
    if (systemErrorCode(error) === undefined) throw error;
    return [];
  }
}
