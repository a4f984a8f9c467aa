import { copyFileSync, lstatSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { GitDoor } from "./git-door.ts";

/**
 * What `ls-files` tells of the index of the repository itself, asked of a copy. Undefined when there is none.
 * Raises HOST_GIT_FAILED.
 */
export async function listRealIndex(
  door: GitDoor,
  flags: readonly string[],
): Promise<readonly string[] | undefined> {
  const { gitDirectory } = door.place;
  const real = join(gitDirectory, "index");
  if (lstatSync(real, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const copy = join(door.directory, "index.real");
  linkSharedIndex(gitDirectory, door.directory);
  copyFileSync(real, copy);
  const { stdout } = await door.must(["ls-files", "-z", ...flags], {
    env: { GIT_INDEX_FILE: copy },
  });
  return stdout.split("\0").filter((field) => field !== "");
}

/** An index in parts names the other one by the directory of git. */
export function linkSharedIndex(gitDirectory: string, directory: string): void {
  for (const entry of readdirSync(gitDirectory, { withFileTypes: true })) {
    if (!entry.isFile() || !/^sharedindex\.[0-9a-f]+$/.test(entry.name)) continue;
    const link = join(directory, entry.name);
    rmSync(link, { force: true });
    symlinkSync(join(gitDirectory, entry.name), link);
  }
}
