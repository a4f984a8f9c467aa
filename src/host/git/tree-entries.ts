import type { GitDoor, Landing } from "./git-door.ts";
import { fields, removal } from "./working-changes.ts";

/** A file as a tree or an index has it: mode and id. */
export interface TreeEntry {
  readonly mode: string;
  readonly id: string;
}

/** A path that two trees do not have alike; undefined: the tree does not have it. */
export interface TreeChange {
  readonly path: string;
  readonly before: TreeEntry | undefined;
  readonly after: TreeEntry | undefined;
}

/** The mode of what stands for a repository within the working tree. */
export const LINK_MODE = "160000";

type Commands = Pick<GitDoor, "must">;
type Environment = { readonly [name: string]: string };

/** What differs between two trees, file by file. Raises HOST_GIT_FAILED. */
export async function changesBetween(
  door: Commands,
  [from, to]: readonly [string, string],
  env: Environment,
): Promise<readonly TreeChange[]> {
  if (from === to) return [];
  const flags = ["-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none"];
  const listed = fields((await door.must(["diff-tree", ...flags, from, to], { env })).stdout);
  const changes: TreeChange[] = [];
  for (let index = 0; index + 1 < listed.length; index += 2) {
    const [before = "", after = "", beforeId = "", afterId = ""] = (listed[index] ?? "")
      .slice(1)
      .split(" ");
    const path = listed[index + 1] ?? "";
    changes.push({ path, before: entry(before, beforeId), after: entry(after, afterId) });
  }
  return changes;
}

function entry(mode: string, id: string): TreeEntry | undefined {
  return mode === "000000" ? undefined : { mode, id };
}

/** Whether both have the same, or neither has anything. */
export function isSameEntry(left: TreeEntry | undefined, right: TreeEntry | undefined): boolean {
  return left?.mode === right?.mode && left?.id === right?.id;
}

/** Lines for `update-index -z --index-info` that put paths where they are to be. */
export function indexLines(
  entries: readonly { readonly path: string; readonly entry: TreeEntry | undefined }[],
  idLength: number,
): string {
  return entries
    .map(({ path, entry: wanted }) =>
      wanted === undefined ? removal(path, idLength) : `${wanted.mode} ${wanted.id}\t${path}\0`,
    )
    .join("");
}

/** The entries of an index; undefined for what is in conflict. */
export function readEntries(listed: readonly string[]): ReadonlyMap<string, TreeEntry | undefined> {
  const found = new Map<string, TreeEntry | undefined>();
  for (const line of listed) {
    const tab = line.indexOf("\t");
    const [mode = "", id = "", stage] = line.slice(0, tab).split(" ");
    found.set(line.slice(tab + 1), stage === "0" ? { mode, id } : undefined);
  }
  return found;
}

/**
 * Has the user's index follow a commit, as committing of single files does: what is as it was before the commit is as
 * the commit has it, and all else stays. Raises HOST_GIT_FAILED.
 */
export async function followInIndex(
  landing: Landing,
  changes: readonly TreeChange[],
): Promise<void> {
  const now = readEntries(fields((await landing.must(["ls-files", "-s", "-z"])).stdout));
  const following = changes.filter(
    ({ path, before }) =>
      isSameEntry(now.get(path), before) && (now.has(path) || before === undefined),
  );
  const idLength = (changes[0]?.before ?? changes[0]?.after)?.id.length ?? 0;
  const lines = following.map(({ path, after }) => ({ path, entry: after }));
  if (lines.length === 0) return;
  const stdin = indexLines(lines, idLength);
  await landing.must(["update-index", "-z", "--index-info"], { stdin });
}
