import { compareTrees } from "../../../host/git/compare-trees.ts";
import type { GitDoor } from "../../../host/git/git-door.ts";
import type { MergeBranch } from "./merge-state.ts";

/** What a branch has done since it left what it is merged into. Paths count from the root. */
export interface BranchChanges extends MergeBranch {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly deleted: readonly string[];
}

/** Most files that a branch deletes without anybody being asked. */
const MOST_DELETED_UNASKED = 20;

/** Compares a branch with the commit where it began, without looking for renames. Raises HOST_GIT_FAILED. */
export async function readBranchChanges(
  door: GitDoor,
  { start, branch }: { readonly start: string; readonly branch: MergeBranch },
): Promise<BranchChanges> {
  const { commit } = branch;
  const found = (await door.run(["merge-base", start, commit])).stdout.trim().split("\n", 1)[0];
  const files = await compareTrees(door, { from: found || start, to: commit, scope: [] });
  const pathsOf = (wanted: (typeof files)[number]["kind"]) =>
    files.filter(({ kind }) => kind === wanted).map(({ path }) => path);
  const [added, changed, deleted] = [pathsOf("create"), pathsOf("edit"), pathsOf("delete")];
  return { ...branch, added, changed, deleted };
}

/** Whether somebody has to agree: many files go, and fewer come. */
export function deletesMuch({ added, deleted }: BranchChanges): boolean {
  return deleted.length > MOST_DELETED_UNASKED && deleted.length > added.length;
}
