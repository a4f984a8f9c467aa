import type { Git, GitMark } from "../../contracts/host.ts";
import { sha256 } from "../../foundation/hash.ts";
import { matchesPath } from "../../foundation/path-pattern.ts";
import { emptyTree, PATCH_FLAGS } from "./compare-trees.ts";
import { fingerprintFile } from "./file-fingerprint.ts";
import { readGitChanges } from "./git-changes.ts";
import type { GitDoor } from "./git-door.ts";
import type { GitRepositories } from "./git-repositories.ts";
import { commitSince, keepWork } from "./kept-work.ts";
import { nestedFiles } from "./nested-files.ts";
import { stageWork } from "./stage-work.ts";
import { fields, headOf, readWorkingChanges } from "./working-changes.ts";

const MOST_DIFF_CHARS = 1024 * 1024;

/** What git tells of a directory, without anything that a repository could make it run. Raises HOST_GIT_FAILED. */
export function createGit(repositories: GitRepositories): Git {
  return {
    branch: async (cwd) => {
      const door = await repositories.open(cwd);
      // A detached HEAD is on no branch.
      return door === undefined ? undefined : (headOf(door).branch ?? "HEAD");
    },
    diff: async (cwd, since) => {
      const door = await repositories.open(cwd);
      if (since === undefined) return door?.alone(() => diffOf(door));
      const request = { base: since, maxPatchChars: MOST_DIFF_CHARS, sinceMs: 0 };
      const found = await readGitChanges({ repositories }, cwd, request);
      if (typeof found === "string") return undefined;
      return found.isCut ? `${found.patch}[the end of this diff was cut off]\n` : found.patch;
    },
    fingerprint: async (cwd) => {
      const door = await repositories.open(cwd);
      return door?.alone(() => fingerprintOf(door));
    },
    mark: async (cwd, patterns) => {
      const door = await repositories.open(cwd);
      return door?.alone(() => markWork(door, anyOf(patterns)));
    },
    changedSince: async (cwd, mark, patterns) => {
      const door = await repositories.open(cwd);
      return door?.alone(() => changedSince(door, mark, anyOf(patterns)));
    },
    touchedSince: async (cwd, mark) => {
      const door = await repositories.open(cwd);
      return door?.alone(() => touchedSince(door, mark));
    },
    keep: async (cwd) => {
      const door = await repositories.open(cwd);
      return door?.alone(() => keepWork(door));
    },
    commitSince: async (cwd, kept, request) => {
      const door = await repositories.open(cwd);
      return door?.alone(() => commitSince(door, kept, request));
    },
  };
}

function anyOf(patterns: readonly string[]): (path: string) => boolean {
  return (path) => patterns.some((pattern) => matchesPath(pattern, path));
}

async function diffOf(door: GitDoor): Promise<string> {
  const changes = await readWorkingChanges(door);
  const staged = await stageWork(door, { changes, takesNew: false, objects: undefined });
  // Before the first commit everything is new: the comparison is with a directory without files.
  const base = changes.head.commit ?? (await emptyTree(door));
  const args = ["diff-tree", "-p", ...PATCH_FLAGS, base, staged.tree];
  const diff = await door.must(args, { maxOutputChars: MOST_DIFF_CHARS });
  const cut = diff.stdoutTruncated ? "[the beginning of this diff was cut off]\n" : "";
  const filtered = staged.filtered.map(
    ({ path, filter }) => `not compared, stored through the filter "${filter}": ${path}\n`,
  );
  const untracked = changes.files
    .filter(({ kind }) => kind === "new")
    .map(({ path }) => `untracked: ${path}\n`);
  return [cut, diff.stdout, ...filtered, ...untracked].join("");
}

/** HEAD, and the content of what differs from it, that of nested repositories included. */
async function fingerprintOf(door: GitDoor): Promise<string> {
  const { root } = door.place;
  const { head, files, links } = await readWorkingChanges(door);
  const parts: string[] = [head.commit ?? "", head.branch ?? ""];
  // Whether a file was added to the index is no work.
  for (const { path, kind } of files)
    parts.push(kind === "added" ? "new" : kind, path, await fingerprintFile(root, path));
  for (const { path, present } of links) {
    parts.push("link", path, present);
    for (const below of nestedFiles(root, path))
      parts.push(below, await fingerprintFile(root, below));
  }
  return sha256(parts.join("\0"));
}

/** Remembers files, of those that `isWanted` names by their path. Raises HOST_GIT_FAILED. */
async function markWork(door: GitDoor, isWanted: (path: string) => boolean): Promise<GitMark> {
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
async function changedSince(
  door: GitDoor,
  mark: GitMark,
  isWanted: (path: string) => boolean,
): Promise<readonly string[]> {
  const { head, files } = await readWorkingChanges(door);
  const changed = new Set<string>();
  for (const { path, kind } of files)
    if ((kind === "edited" || kind === "deleted") && isWanted(path)) changed.add(path);
  for (const path of await committedSince(door, [mark.commit, head.commit], "DMT"))
    if (isWanted(path)) changed.add(path);
  for (const [path, before] of Object.entries(mark.differing)) {
    const isSame = before === (await fingerprintFile(door.place.root, path));
    // What was new then counts as well, and what was gone is nobody's that came back.
    if (isSame || before === "absent") changed.delete(path);
    else changed.add(path);
  }
  return [...changed].sort();
}

/** All files that are not as at a mark of all files. Raises HOST_GIT_FAILED. */
async function touchedSince(door: GitDoor, mark: GitMark): Promise<readonly string[]> {
  const now = await markWork(door, () => true);
  const touched = new Set(await committedSince(door, [mark.commit, now.commit], "ADMT"));
  for (const path of new Set([...Object.keys(mark.differing), ...Object.keys(now.differing)])) {
    // What differed then may have been committed as it was, or put back to what the commit has.
    const after = now.differing[path] ?? (await fingerprintFile(door.place.root, path));
    if (mark.differing[path] === after) touched.delete(path);
    else touched.add(path);
  }
  return [...touched].sort();
}

async function committedSince(
  door: GitDoor,
  [before, now]: readonly [string | null, string | null],
  kinds: "DMT" | "ADMT",
): Promise<readonly string[]> {
  if (before === now) return [];
  const flags = ["-r", "-z", "--name-only", "--no-renames", `--diff-filter=${kinds}`];
  const from = before ?? (await emptyTree(door));
  const listed = await door.must(["diff-tree", ...flags, from, now ?? from]);
  return fields(listed.stdout);
}
