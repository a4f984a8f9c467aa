import { existsSync } from "node:fs";
import { z } from "zod";
import type { RunState } from "../../../fold/state/run-state.ts";
import { isOver, runStatus } from "../../../fold/waiting.ts";
import { TroupeError } from "../../../foundation/errors.ts";
import type { GitDoor } from "../../../host/git/git-door.ts";
import type { GitHost } from "../../../host/git/git-repositories.ts";
import { readBranch, readBranchTip } from "../../../host/git/repository.ts";
import { checkOut, committedHead, hasStaged } from "../../../host/git/working-merge.ts";
import { doorOf, isDirty } from "../../../host/git/worktree.ts";
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
  host: GitHost,
  state: RunState,
  wish: MergeWish,
): Promise<MergeState> {
  const run = state.run.id;
  if (!isOver(state)) throw mergeRunning({ run, state: runStatus(state) });
  const { root, branches } = await findBranches(host, state);
  const door = await doorOf(host.repositories, root);
  if (await isDirtyTree(host, door)) throw mergeDirty({ directory: root });
  if (wish.into !== undefined) await switchTo(door, wish.into);
  const start = committedHead(door);
  const { into: _, ...kept } = wish;
  return {
    run,
    root,
    into: readBranch(root) ?? "",
    start,
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

async function switchTo(door: GitDoor, branch: string): Promise<void> {
  const tried = { action: `switch to ${branch}`, hasBegun: false };
  const valid = await door.run(["check-ref-format", `refs/heads/${branch}`]);
  if (valid.exitCode !== 0 || branch.startsWith("-"))
    throw mergeFailed({ ...tried, reason: "that is no name of a branch" });
  try {
    await checkOut(door, { branch, tip: readBranchTip(door.place.root, branch) });
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    throw mergeFailed({ ...tried, reason: error.message }, { cause: error });
  }
}
