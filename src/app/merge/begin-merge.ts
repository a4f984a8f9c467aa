import { existsSync } from "node:fs";
import type { RunState } from "../../fold/run-state.ts";
import { isOver, runStatus } from "../../fold/waiting.ts";
import { type GitPorts, git, mustGit } from "../../host/git.ts";
import { readBranch, readCommit, writingPorts } from "../../host/git-repository.ts";
import { isDirty } from "../../host/git-worktree.ts";
import { mergeDirty, mergeFailed, mergeNothing, mergeRunning, mergeScattered } from "./errors.ts";
import type { MergeBranch, MergeState } from "./merge-state.ts";

/** What is wanted of a merge. */
export interface MergeWish {
  /** The branch to merge into; defaults to the one that is checked out. */
  readonly into?: string;
  /** Shell text that has to succeed after each merge. */
  readonly verify?: string;
  readonly verifyTimeoutMs: number;
  /** Who is asked to resolve conflicts; defaults to a person. */
  readonly agent?: string;
  readonly keeps: boolean;
}

/**
 * Looks at all that a merge of a run needs, and checks out the branch that it goes into. Raises
 * RUN_MERGE_RUNNING, RUN_MERGE_NOTHING, RUN_MERGE_SCATTERED, RUN_MERGE_DIRTY, RUN_MERGE_FAILED, HOST_GIT_FAILED.
 */
export async function beginMerge(
  host: GitPorts,
  state: RunState,
  wish: MergeWish,
): Promise<MergeState> {
  const run = state.run.id;
  if (!isOver(state)) throw mergeRunning({ run, state: runStatus(state) });
  const { root, branches } = await findBranches(host, state);
  if (await isDirtyTree(host, root)) throw mergeDirty({ directory: root });
  if (wish.into !== undefined) await switchTo(host, root, wish.into);
  const start = await readCommit(host, root, "HEAD");
  if (start === undefined) throw mergeFailed({ action: "read HEAD", reason: "there is no commit" });
  const { into: _, ...kept } = wish;
  return {
    run,
    root,
    into: (await readBranch(host, root)) ?? "",
    start,
    ...kept,
    branches,
    merged: [],
  };
}

/** The branches with work on them, in the order in which their agents came. */
async function findBranches(
  host: GitPorts,
  state: RunState,
): Promise<{ readonly root: string; readonly branches: readonly MergeBranch[] }> {
  const run = state.run.id;
  const branches: MergeBranch[] = [];
  const roots = new Set<string>();
  for (const agent of state.agents.values()) {
    const worktree = agent.place?.worktree;
    if (worktree === undefined) continue;
    const { root, path, branch, base } = worktree;
    const commit = await readCommit(host, root, `refs/heads/${branch}`);
    if (commit === undefined) continue;
    if (existsSync(path) && (await isDirty(host, path))) throw mergeDirty({ directory: path });
    roots.add(root);
    if (commit !== base) branches.push({ agent: agent.id, branch, commit, path });
  }
  const [root, ...others] = roots;
  if (root === undefined || branches.length === 0) throw mergeNothing({ run });
  if (others.length > 0) throw mergeScattered({ run, roots: [...roots] });
  return { root, branches };
}

/** Files that nobody follows do not count: git refuses by itself where they are in the way. */
async function isDirtyTree(host: GitPorts, root: string): Promise<boolean> {
  const flags = ["--porcelain", "--untracked-files=no", "--ignore-submodules=none"];
  const status = await mustGit(await writingPorts(host, root), root, ["status", ...flags]);
  return status.stdout !== "";
}

async function switchTo(host: GitPorts, root: string, branch: string): Promise<void> {
  const valid = await git(host, root, ["check-ref-format", "--branch", branch]);
  if (valid.exitCode !== 0 || branch.startsWith("-"))
    throw mergeFailed({ action: `switch to ${branch}`, reason: "that is no name of a branch" });
  const isThere = (await readCommit(host, root, `refs/heads/${branch}`)) !== undefined;
  const writing = await writingPorts(host, root);
  const how = isThere ? [branch] : ["--create", branch];
  const switched = await git(writing, root, ["switch", "--quiet", "--no-guess", ...how]);
  if (switched.exitCode !== 0)
    throw mergeFailed({ action: `switch to ${branch}`, reason: switched.stderr.trim() });
}
