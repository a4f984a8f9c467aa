import { join } from "node:path";
import { compareTrees } from "../../../host/git/compare-trees.ts";
import type { GitDoor } from "../../../host/git/git-door.ts";
import { obeyedReason } from "../../../host/obeyed-files.ts";
import { isBelow } from "../../../host/sandbox/sandbox-mounts.ts";
import type { MergeBranch } from "./merge-state.ts";

/** What a branch has done since it left what it is merged into. Paths count from the root. */
export interface BranchChanges extends MergeBranch {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly deleted: readonly string[];
  /** Those of the added and changed files that programs outside obey without being asked to run the project. */
  readonly obeyed: readonly ObeyedChange[];
}

/** A file that something outside obeys. */
export interface ObeyedChange {
  readonly path: string;
  readonly reason: string;
}

const NAMED_BY_GIT = "git's configuration names it";

/** Most files that a branch deletes without anybody being asked. */
const MOST_DELETED_UNASKED = 20;

/** Compares a branch with the commit where it began, without looking for renames. Raises HOST_GIT_FAILED. */
export async function readBranchChanges(
  door: GitDoor,
  { start, branch }: { readonly start: string; readonly branch: MergeBranch },
): Promise<BranchChanges> {
  const { commit } = branch;
  const found = (await door.run(["merge-base", start, commit])).stdout.trim().split("\n", 1)[0];
  const named = await door.filesNamed();
  const isNamed = (path: string) =>
    named.some((each) => isBelow(join(door.place.root, path), each));
  const files = await compareTrees(door, { from: found || start, to: commit, scope: [] });
  const pathsOf = (wanted: (typeof files)[number]["kind"]) =>
    files.filter(({ kind }) => kind === wanted).map(({ path }) => path);
  const [added, changed, deleted] = [pathsOf("create"), pathsOf("edit"), pathsOf("delete")];
  const obeyed = [...added, ...changed].flatMap((path): readonly ObeyedChange[] => {
    const reason = obeyedReason(path) ?? (isNamed(path) ? NAMED_BY_GIT : undefined);
    return reason === undefined ? [] : [{ path, reason }];
  });
  return { ...branch, added, changed, deleted, obeyed };
}

/** Whether it empties the tree: many files go, and fewer come. */
export function deletesMuch({ added, deleted }: BranchChanges): boolean {
  return deleted.length > MOST_DELETED_UNASKED && deleted.length > added.length;
}

/** Whether somebody has to agree to a branch. */
export function needsConsent(changes: BranchChanges): boolean {
  return deletesMuch(changes) || changes.obeyed.length > 0;
}
