import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { toErrorReport } from "../../../foundation/errors.ts";
import type { GitHost } from "../../../host/git/git-repositories.ts";
import { isDirty, removeWorktree } from "../../../host/git/worktree.ts";
import { createHost } from "../../../host/host.ts";
import { filterTrust } from "../../machine/effective/git-filters.ts";
import type { Machine } from "../../machine/machine.ts";
import { runHoldsWork } from "../../runs/errors.ts";

/**
 * Removes the worktrees of a run with what its repository records about them. Their branches stay. Raises
 * RUN_HOLDS_WORK for a worktree with changes that no commit has, or that cannot be looked at; then all stay, unless
 * `isForced`.
 */
export async function removeWorktrees(
  machine: Machine,
  run: string,
  isForced: boolean,
): Promise<void> {
  const paths = worktreesOf(join(machine.project.runsDirectory, run, "worktrees"));
  if (paths.length === 0) return;
  const { clock, env } = machine;
  const git = { ownFiles: [], trustsFilter: filterTrust(machine) };
  const host = createHost({ run: "", clock, env, git, reaper: false });
  try {
    if (!isForced) await assertNoWork(host, run, paths);
    for (const path of paths) await removeOne(host, machine.project.root, path);
  } finally {
    await host.close();
  }
}

async function assertNoWork(host: GitHost, run: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const problem = await isDirty(host, path).then(
      (isSo) => (isSo ? "changes that no commit has" : undefined),
      (error: unknown) => `what cannot be looked at (${toErrorReport(error).message})`,
    );
    if (problem !== undefined) throw runHoldsWork({ run, path, problem });
  }
}

/** A worktree that is none of its repository any longer goes with the directory of its run. */
async function removeOne(host: GitHost, root: string, path: string): Promise<void> {
  try {
    await removeWorktree(host, { root, path });
  } catch (error) {
    if (toErrorReport(error).code !== "HOST_GIT_FAILED") throw error;
  }
}

/** Directories with a `.git` in them, of agents and of iterations. */
function worktreesOf(directory: string): readonly string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => !name.startsWith("."))
    .map((name) => join(directory, name))
    .filter((path) => lstatSync(path).isDirectory() && existsSync(join(path, ".git")));
}
