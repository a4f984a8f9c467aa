import { isAbsolute, relative, resolve } from "node:path";
import type { AgentWorktree } from "../../contracts/events/place-events.ts";
import { fold } from "../../fold/fold.ts";
import type { PlaceState } from "../../fold/state/agent-state.ts";
import { emptyRunState, type RunState } from "../../fold/state/run-state.ts";
import type { GitChange, GitChanges } from "../../host/git/git-changes.ts";
import type { GitHost } from "../../host/git/git-repositories.ts";
import { createHost } from "../../host/host.ts";
import { ownFilesOf } from "../machine/effective/agent-surroundings.ts";
import { filterTrust } from "../machine/effective/git-filters.ts";
import type { Machine } from "../machine/machine.ts";
import { plannedContextFiles } from "../workflow/context-files-of.ts";
import {
  type Compared,
  compareWithBase,
  type NoPatchReason,
  type RunPatch,
  toPatch,
} from "./patch-of.ts";

/** A file that is not what it was when the run began, or that an agent says it changed. */
export interface DiffedFile {
  /** From `root`; absolute for files outside of it. */
  readonly path: string;
  readonly kind: GitChange["kind"];
  /** Who reported a change of it; empty when nobody did. */
  readonly agents: readonly string[];
  /** Whether a patch shows it. */
  readonly isInPatch: boolean;
  /** Whether it was last changed before the run began, so that no patch shows it. */
  readonly isOlder: boolean;
  /** The branch of the agent whose work it is; undefined for what is in the directory of the run. */
  readonly branch: string | undefined;
}

/** What became of the files where a run works. */
export interface RunDiff {
  /** The root of the repository, else the directory of the run. */
  readonly root: string;
  /** The commit at the run's start; null for a repository without one, and when nothing is known. */
  readonly base: string | null;
  readonly files: readonly DiffedFile[];
  readonly patch: RunPatch;
  /** What agents with worktrees of their own did there, as far as it is here. */
  readonly branches: readonly BranchDiff[];
}

/** What an agent did in its worktree. */
export interface BranchDiff {
  readonly agent: string;
  readonly branch: string;
  readonly patch: RunPatch;
}

interface Report {
  readonly kind: GitChange["kind"];
  readonly agents: Set<string>;
}

interface Recorded {
  readonly state: RunState;
  readonly reports: Map<string, Report>;
  readonly ownFiles: readonly string[];
}

/**
 * Compares the files as they are now with the commit that was checked out when the run began, without what was
 * changed before it, and what agents left in worktrees with where those began; adds what agents reported.
 * Raises RUN_NOT_FOUND, HOST_GIT_FAILED, STORE_* errors.
 */
export async function readRunDiff(machine: Machine, run: string): Promise<RunDiff> {
  const recorded = await readReports(machine, run);
  const { ownFiles } = recorded;
  const { clock, env } = machine;
  const git = { ownFiles, trustsFilter: filterTrust(machine) };
  const host = createHost({ run: "", clock, env, git });
  try {
    return await compare(host, recorded);
  } finally {
    await host.close();
  }
}

async function compare(host: GitHost, { state, reports }: Recorded): Promise<RunDiff> {
  const { cwd, repository, createdAt: sinceMs } = state.run;
  const base = repository?.commit;
  const changes = await compareWithBase(host, { directory: cwd, base, until: undefined, sinceMs });
  const root = typeof changes === "string" ? cwd : changes.root;
  const files = toFiles(changes, { root, reports, branch: undefined, agent: undefined });
  const branches: BranchDiff[] = [];
  for (const { id: agent, place } of state.agents.values()) {
    if (place?.worktree === undefined) continue;
    const { path, branch } = place.worktree;
    const left = await compareWithBase(host, worktreeOf(place.worktree, place.end, sinceMs));
    files.push(...toFiles(left, { root: path, reports, branch, agent }));
    branches.push({ agent, branch, patch: toPatch(left) });
  }
  files.push(...[...reports].map(([path, report]) => toReported(path, report, root)));
  return {
    root,
    base: base ?? null,
    files: files.sort((left, right) => (left.path < right.path ? -1 : 1)),
    patch: toPatch(changes),
    branches,
  };
}

/** The worktree as it is while its agent is at work, then what was committed in it. */
function worktreeOf(
  { root, path, base }: AgentWorktree,
  end: PlaceState["end"],
  sinceMs: number,
): Compared {
  if (end === undefined) return { directory: path, base, until: undefined, sinceMs };
  return { directory: root, base, until: end.commit ?? base, sinceMs };
}

/** What agents reported, by absolute path. */
async function readReports(machine: Machine, run: string): Promise<Recorded> {
  const state = emptyRunState(run);
  const reports = new Map<string, Report>();
  const journal = machine.store.open(run, "read");
  try {
    for (const event of journal.read()) {
      fold(state, event);
      if (event.type !== "file-changed") continue;
      const { place, spec } = state.agents.get(event.agent) ?? {};
      const path = resolve(place?.directory ?? spec?.cwd ?? state.run.cwd, event.path);
      const agents = reports.get(path)?.agents ?? new Set();
      reports.set(path, { kind: event.kind, agents: agents.add(event.agent) });
    }
    const ownFiles = ownFilesOf(machine.project, await plannedContextFiles(journal, state));
    return { state, reports, ownFiles };
  } finally {
    journal.close();
  }
}

interface Comparison {
  readonly root: string;
  readonly reports: Map<string, Report>;
  readonly branch: string | undefined;
  /** Whose work all of it is; undefined where only reports tell. */
  readonly agent: string | undefined;
}

function toFiles(
  changes: GitChanges | NoPatchReason,
  { root, reports, branch, agent }: Comparison,
): DiffedFile[] {
  if (typeof changes === "string") return [];
  return changes.files.map(({ path, kind, isInPatch }) => {
    const absolute = resolve(root, path);
    const agents = new Set(reports.get(absolute)?.agents);
    if (agent !== undefined) agents.add(agent);
    // What is left over is only reported.
    reports.delete(absolute);
    return { path, kind, agents: [...agents], isInPatch, isOlder: !isInPatch, branch };
  });
}

function toReported(path: string, { kind, agents }: Report, root: string): DiffedFile {
  const inside = relative(root, path);
  const isInside = inside !== "" && !inside.startsWith("..") && !isAbsolute(inside);
  return {
    path: isInside ? inside : path,
    kind,
    agents: [...agents],
    isInPatch: false,
    isOlder: false,
    branch: undefined,
  };
}
