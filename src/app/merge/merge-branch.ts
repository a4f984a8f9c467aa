import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type GitPorts, git, mustGit } from "../../host/git.ts";
import { isAncestor, readCommit, writingPorts } from "../../host/git-repository.ts";
import { mergeFailed } from "./errors.ts";
import type { MergeBranch } from "./merge-state.ts";

const MARKER = /^(?:<{7}|>{7}|\|{7})(?: |$)/m;

/** How merging one branch went. */
export type BranchMerge =
  | { readonly status: "merged" }
  | { readonly status: "conflict"; readonly files: readonly string[] };

/** Merges a branch with a commit of its own, whatever git would do by itself. Raises RUN_MERGE_FAILED, HOST_GIT_FAILED. */
export async function mergeBranch(
  host: GitPorts,
  root: string,
  { run, target }: { readonly run: string; readonly target: MergeBranch },
): Promise<BranchMerge> {
  const writing = await writingPorts(host, root);
  const message = `Merge ${target.agent} of ${run}\n\nBranch ${target.branch}`;
  const flags = ["--no-ff", "--no-edit", "--no-verify", "--no-stat", "-m", message];
  const merged = await git(writing, root, ["merge", ...flags, target.commit]);
  if (merged.exitCode === 0) return { status: "merged" };
  const files = await unmergedFiles(host, root);
  if (files.length > 0) return { status: "conflict", files };
  const reason = merged.stderr.trim() || merged.stdout.trim() || `exit ${merged.exitCode}`;
  throw mergeFailed({ action: `merge ${target.branch}`, reason });
}

/** Whether a merge has begun that is not committed. */
export async function isMerging(host: GitPorts, root: string): Promise<boolean> {
  return (await readCommit(host, root, "MERGE_HEAD")) !== undefined;
}

/** Whether all of a branch is part of what is checked out. */
export function isMerged(host: GitPorts, root: string, { commit }: MergeBranch): Promise<boolean> {
  return isAncestor(host, root, { of: "HEAD", commit });
}

/** The files in conflict, from the root. Raises HOST_GIT_FAILED. */
export async function unmergedFiles(host: GitPorts, root: string): Promise<readonly string[]> {
  const listed = await mustGit(host, root, ["diff", "--name-only", "-z", "--diff-filter=U"]);
  return listed.stdout.split("\0").filter((path) => path !== "");
}

/** Those of the files that still have marks of a conflict in them. */
export function unresolvedFiles(root: string, files: readonly string[]): readonly string[] {
  return files.filter((path) => {
    try {
      return MARKER.test(readFileSync(join(root, path), "utf8"));
    } catch {
      // It was removed, which is a way to resolve it.
      return false;
    }
  });
}

/** Takes files as they are for resolved. Raises HOST_GIT_FAILED. */
export async function markResolved(
  host: GitPorts,
  root: string,
  files: readonly string[],
): Promise<void> {
  if (files.length === 0) return;
  const specs = files.map((path) => `:(top,literal)${path}`);
  await mustGit(await writingPorts(host, root), root, ["add", "--all", "--", ...specs]);
}

/** Commits the merge that has begun. Raises RUN_MERGE_FAILED. */
export async function commitMerge(host: GitPorts, root: string): Promise<void> {
  const writing = await writingPorts(host, root);
  const done = await git(writing, root, ["commit", "--quiet", "--no-edit", "--no-verify"]);
  if (done.exitCode === 0) return;
  throw mergeFailed({
    action: "commit the merge",
    reason: done.stderr.trim() || done.stdout.trim(),
  });
}

/** Gives up the merge that has begun. Raises RUN_MERGE_FAILED. */
export async function abortMerge(host: GitPorts, root: string): Promise<void> {
  const aborted = await git(await writingPorts(host, root), root, ["merge", "--abort"]);
  if (aborted.exitCode !== 0)
    throw mergeFailed({ action: "give the merge up", reason: aborted.stderr.trim() });
}

/** Takes a merge back that was committed; what else was changed meanwhile stays. Raises RUN_MERGE_FAILED. */
export async function undoMerge(host: GitPorts, root: string, before: string): Promise<void> {
  const undone = await git(await writingPorts(host, root), root, ["reset", "--keep", before]);
  if (undone.exitCode !== 0)
    throw mergeFailed({
      action: `go back to ${before.slice(0, 12)}`,
      reason: undone.stderr.trim(),
    });
}
