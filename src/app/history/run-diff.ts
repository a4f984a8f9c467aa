import { existsSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { fold } from "../../fold/fold.ts";
import { emptyRunState, type RunState } from "../../fold/state/run-state.ts";
import { type GitChange, type GitChanges, readGitChanges } from "../../host/git/git-changes.ts";
import { isCommitId } from "../../host/git/git-head.ts";
import { createHost } from "../../host/host.ts";
import { ownFilesOf } from "../machine/effective/agent-surroundings.ts";
import { filterTrust } from "../machine/effective/git-filters.ts";
import type { Machine } from "../machine/machine.ts";
import { plannedContextFiles } from "../workflow/context-files-of.ts";

/** A file that is not what it was when the run began, or that an agent says it changed. */
export interface DiffedFile {
  /** From `root`; absolute for files outside of it. */
  readonly path: string;
  readonly kind: GitChange["kind"];
  /** Who reported a change of it; empty when nobody did. */
  readonly agents: readonly string[];
  /** Whether it differs now from what was committed when the run began. */
  readonly isInPatch: boolean;
  /** Whether its last change is from before the run. */
  readonly isOlder: boolean;
}

/** Why nothing could be compared. */
export type NoPatchReason = "no-directory" | "no-repository" | "not-recorded" | "no-commit";

/** What became of the files where a run works. */
export interface RunDiff {
  /** The root of the repository, else the directory of the run. */
  readonly root: string;
  /** The commit at the run's start; null for a repository without one, and when nothing is known. */
  readonly base: string | null;
  readonly files: readonly DiffedFile[];
  readonly patch:
    | { readonly status: "made"; readonly text: string; readonly isCut: boolean }
    | { readonly status: "none"; readonly reason: NoPatchReason };
}

const MAX_PATCH_CHARS = 1024 * 1024;

interface Report {
  readonly kind: GitChange["kind"];
  readonly agents: Set<string>;
}

/**
 * Compares the files as they are now with the commit that was checked out when the run began, and adds what
 * its agents reported. Raises RUN_NOT_FOUND, HOST_GIT_FAILED, STORE_* errors.
 */
export async function readRunDiff(machine: Machine, run: string): Promise<RunDiff> {
  const { state, reports, ownFiles } = await readReports(machine, run);
  const { cwd, repository } = state.run;
  const compared = await compare(machine, state, ownFiles);
  const isCompared = typeof compared !== "string";
  const root = isCompared ? compared.root : cwd;
  const files = [
    ...(isCompared ? compared.files.map((file) => toCompared(file, { root, state, reports })) : []),
    ...[...reports].map(([path, report]) => toReported(path, report, root)),
  ];
  return {
    root,
    base: repository?.commit ?? null,
    files: files.sort((left, right) => (left.path < right.path ? -1 : 1)),
    patch: isCompared
      ? { status: "made", text: compared.patch, isCut: compared.isCut }
      : { status: "none", reason: compared },
  };
}

async function compare(
  machine: Machine,
  state: RunState,
  ownFiles: readonly string[],
): Promise<GitChanges | NoPatchReason> {
  const { cwd, repository } = state.run;
  if (!existsSync(cwd)) return "no-directory";
  if (repository === undefined) return "not-recorded";
  const { commit: base } = repository;
  // A journal may come from anywhere: what is no id could be an option of git.
  if (base !== null && !isCommitId(base)) return "no-commit";
  const { clock, env } = machine;
  const git = { ownFiles, trustsFilter: filterTrust(machine) };
  const host = createHost({ run: "", clock, env, git });
  try {
    return await readGitChanges(host, cwd, { base, maxPatchChars: MAX_PATCH_CHARS });
  } finally {
    await host.close();
  }
}

/** What agents reported, by absolute path. */
async function readReports(
  machine: Machine,
  run: string,
): Promise<{
  readonly state: RunState;
  readonly reports: Map<string, Report>;
  readonly ownFiles: readonly string[];
}> {
  const state = emptyRunState(run);
  const reports = new Map<string, Report>();
  const journal = machine.store.open(run, "read");
  try {
    for (const event of journal.read()) {
      fold(state, event);
      if (event.type !== "file-changed") continue;
      const path = resolve(state.agents.get(event.agent)?.spec.cwd ?? state.run.cwd, event.path);
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
  readonly state: RunState;
  readonly reports: Map<string, Report>;
}

function toCompared(file: GitChange, { root, state, reports }: Comparison): DiffedFile {
  const path = resolve(root, file.path);
  const agents = [...(reports.get(path)?.agents ?? [])];
  // What is left over is only reported.
  reports.delete(path);
  return {
    path: file.path,
    kind: file.kind,
    agents,
    isInPatch: true,
    isOlder: file.changedAtMs !== undefined && file.changedAtMs < state.run.createdAt,
  };
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
  };
}
