import { existsSync } from "node:fs";
import { z } from "zod";
import type { RunState } from "../../../fold/state/run-state.ts";
import { isOver, runStatus } from "../../../fold/waiting.ts";
import { branchHolders } from "../../../host/git/branch-holders.ts";
import type { GitDoor } from "../../../host/git/git-door.ts";
import type { GitHost } from "../../../host/git/git-repositories.ts";
import { readBranch, readBranchTip } from "../../../host/git/repository.ts";
import { committedHead, hasStaged } from "../../../host/git/working-merge.ts";
import { doorOf, isDirty } from "../../../host/git/worktree.ts";
import { branchElsewhere } from "../../../host/system/errors.ts";
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
 * Looks at all that a merge of a run needs, and changes nothing. Raises RUN_MERGE_RUNNING, RUN_MERGE_NOTHING,
 * RUN_MERGE_SCATTERED, RUN_MERGE_DIRTY, RUN_MERGE_FAILED, HOST_GIT_FAILED, HOST_GIT_BRANCH_ELSEWHERE.
 */
export async function beginMerge(
  host: GitHost,
  state: RunState,
  wish: MergeWish,
): Promise<MergeState> {
  const run = state.run.id;
  if (!isOver(state)) throw mergeRunning({ run, state: runStatus(state) });
  const { root, branches } = await findBranches(host, state);
  const door = await doorOf(host.repositories, root);
  if (await isDirtyTree(host, door)) throw mergeDirty({ directory: root });
  const { into: wanted, ...kept } = wish;
  const found = readBranch(root) ?? "";
  const into = wanted ?? found;
  if (into !== found) await assertTarget(door, run, into);
  const tip = into === found ? undefined : readBranchTip(root, into);
  return {
    ...{ run, root, into, start: tip ?? committedHead(door) },
    ...(into === found ? {} : { switchedFrom: found }),
    ...kept,
    branches,
    merged: [],
  };
}

/** The branches with work on them, in the order in which their agents came. */
async function findBranches(
  host: GitHost,
  state: RunState,
): Promise<{ readonly root: string; readonly branches: readonly MergeBranch[] }> {
  const run = state.run.id;
  const branches: MergeBranch[] = [];
  const roots = new Set<string>();
  const losers = losersIn(state);
  for (const agent of state.agents.values()) {
    if (losers.has(agent.id)) continue;
    const worktree = agent.place?.worktree;
    if (worktree === undefined) continue;
    const { root, path, branch, base } = worktree;
    const commit = readBranchTip(root, branch);
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

/** Whose work was not chosen where several did the same: nobody wants it beside that of the winner. */
function losersIn({ advances }: RunState): ReadonlySet<string> {
  const chosen = advances.flatMap(({ kind, data }) => {
    const read = kind === "verdict" ? contestVerdict.safeParse(data) : undefined;
    return read?.data?.losers ?? [];
  });
  return new Set(chosen);
}

const contestVerdict = z.object({ losers: z.array(z.string()) });

/** Files that nobody follows do not count: git refuses by itself where they are in the way. */
async function isDirtyTree(host: GitHost, door: GitDoor): Promise<boolean> {
  return (await isDirty(host, door.place.root, { sees: "followed" })) || hasStaged(door);
}

/** Makes sure that a branch can be checked out here. Raises RUN_MERGE_FAILED, HOST_GIT_BRANCH_ELSEWHERE. */
async function assertTarget(door: GitDoor, run: string, branch: string): Promise<void> {
  const valid = await door.run(["check-ref-format", `refs/heads/${branch}`]);
  if (valid.exitCode !== 0 || branch.startsWith("-")) {
    const reason = "that is no name of a branch";
    throw mergeFailed({ run, action: `switch to ${branch}`, reason, hasBegun: false });
  }
  const [holder] = branchHolders(door.place, branch);
  if (holder !== undefined) throw branchElsewhere({ branch, ...holder });
}
