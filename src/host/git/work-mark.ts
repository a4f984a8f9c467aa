import type { GitMark } from "../../contracts/host.ts";
import { fingerprintFile } from "./file-fingerprint.ts";
import type { GitDoor } from "./git-door.ts";
import { fields, readWorkingChanges } from "./working-changes.ts";

/** Remembers files, of those that `isWanted` names by their path. Raises HOST_GIT_FAILED. */
export async function markWork(
  door: GitDoor,
  isWanted: (path: string) => boolean,
): Promise<GitMark> {
  const { head, files } = await readWorkingChanges(door);
  const differing: { [path: string]: string } = {};
  for (const { path } of files)
    if (isWanted(path)) differing[path] = await fingerprintFile(door.place.root, path);
  return { commit: head.commit, differing };
}

/**
 * The files that were there at a mark and have changed or gone since, whether that was committed or not. Raises
 * HOST_GIT_FAILED, also when the commit of the mark is not to be found any more.
 */
export async function changedSince(
  door: GitDoor,
  mark: GitMark,
  isWanted: (path: string) => boolean,
): Promise<readonly string[]> {
  const { head, files } = await readWorkingChanges(door);
  const changed = new Set<string>();
  for (const { path, kind } of files)
    if ((kind === "edited" || kind === "deleted") && isWanted(path)) changed.add(path);
  for (const path of await committedSince(door, mark.commit, head.commit))
    if (isWanted(path)) changed.add(path);
  for (const [path, before] of Object.entries(mark.differing)) {
    const isSame = before === (await fingerprintFile(door.place.root, path));
    // What was new then counts as well, and what was gone is nobody's that came back.
    if (isSame || before === "absent") changed.delete(path);
    else changed.add(path);
  }
  return [...changed].sort();
}

async function committedSince(
  door: GitDoor,
  before: string | null,
  now: string | null,
): Promise<readonly string[]> {
  if (before === null || before === now) return [];
  const flags = ["-r", "-z", "--name-only", "--no-renames", "--diff-filter=DMT"];
  const listed = await door.must(["diff-tree", ...flags, before, now ?? before]);
  return fields(listed.stdout);
}
