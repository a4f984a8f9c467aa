import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { GitHost } from "../../../host/git/git-repositories.ts";
import { readBranch } from "../../../host/git/repository.ts";
import { pendingChange, takeChangeBack } from "../../../host/git/working-merge.ts";
import { doorOf } from "../../../host/git/worktree.ts";
import { createHost } from "../../../host/host.ts";
import { claimRepository, ownFilesOf } from "../../machine/effective/agent-surroundings.ts";
import { filterTrust } from "../../machine/effective/git-filters.ts";
import type { Machine } from "../../machine/machine.ts";
import { assertOwnPlace } from "../../runs/assert-own-place.ts";
import { assertOwnRun } from "../../runs/assert-own-run.ts";
import { readState, resolveRun } from "../../runs/run-lookup.ts";
import { contextFilesOfRun } from "../../workflow/context-files-of.ts";
import { beginMerge, type MergeWish } from "./begin-merge.ts";
import { mergeNotBegun, mergeUnfinished, NO_BRANCH } from "./errors.ts";
import { MERGE_RECORD, mergeRecord } from "./merge-state.ts";
import { type MergePorts, type MergeReport, MergeWork } from "./merge-work.ts";

/** What is to be done about the merge of a run. */
export type MergeOrder =
  | { readonly kind: "begin"; readonly wish: MergeWish }
  | { readonly kind: "continue" }
  | { readonly kind: "abort" };

/** Begins, continues or aborts the merge of a run. Raises RUN_NOT_FOUND, RUN_AMBIGUOUS, RUN_FOREIGN, RUN_MERGE_*, HOST_GIT_FAILED. */
export async function mergeRun(
  machine: Machine,
  { given, order }: { readonly given: string; readonly order: MergeOrder },
  ports: MergePorts,
): Promise<MergeReport> {
  const run = resolveRun(machine.store, given);
  assertOwnRun(machine.store, run);
  assertOwnPlace(machine, run);
  const record = mergeRecord(join(machine.project.runsDirectory, run));
  const { clock, env } = machine;
  const git = {
    ownFiles: ownFilesOf(machine.project, await contextFilesOfRun(machine.store, run)),
    trustsFilter: filterTrust(machine),
  };
  const host = createHost({ run, clock, env, git });
  try {
    const known = record.read();
    if (order.kind !== "begin" && known === undefined) throw mergeNotBegun({ run });
    if (order.kind === "begin" && known !== undefined)
      throw mergeUnfinished({ run, branch: known.current?.branch ?? known.into });
    const state = readState(machine.store, run);
    const root = known?.root ?? rootOf(state) ?? machine.project.root;
    if (order.kind === "begin") assertOnlyMerge(machine.project, { run, root });
    const release = await claimRepository(machine, root, `the merge of ${run}`);
    try {
      if (order.kind === "begin") await dropForgotten(host, machine.project, root);
      const merge = order.kind === "begin" ? await beginMerge(host, state, order.wish) : known;
      if (merge === undefined) throw mergeNotBegun({ run });
      const work = new MergeWork(merge, {
        host,
        door: await doorOf(host.repositories, merge.root),
        record,
        ports,
      });
      return await (order.kind === "abort" ? work.abort() : work.goOn());
    } finally {
      release();
    }
  } finally {
    await host.close();
  }
}

/** Raises RUN_MERGE_UNFINISHED where another run's merge is in the middle of a branch in this working tree. */
function assertOnlyMerge(
  { runsDirectory }: Machine["project"],
  { run, root }: { readonly run: string; readonly root: string },
): void {
  for (const name of namesIn(runsDirectory)) {
    if (name === run || !existsSync(join(runsDirectory, name, MERGE_RECORD))) continue;
    const known = mergeRecord(join(runsDirectory, name)).read();
    if (known?.root === root && known.current !== undefined)
      throw mergeUnfinished({ run: known.run, branch: known.current.branch });
  }
}

function namesIn(directory: string): readonly string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

/** Takes back what the merge of a run was writing that is not there any more, so that nobody else can do it. */
async function dropForgotten(
  host: GitHost,
  { runsDirectory }: Machine["project"],
  root: string,
): Promise<void> {
  const door = await host.repositories.open(root);
  const pending = door === undefined ? undefined : pendingChange(door);
  if (door === undefined || pending === undefined) return;
  if (existsSync(join(runsDirectory, pending.by, MERGE_RECORD)))
    throw mergeUnfinished({ run: pending.by, branch: readBranch(root) ?? NO_BRANCH });
  await takeChangeBack(door);
}

function rootOf(state: ReturnType<typeof readState>): string | undefined {
  for (const { place } of state.agents.values())
    if (place?.worktree !== undefined) return place.worktree.root;
  return undefined;
}
