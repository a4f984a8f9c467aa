import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Surroundings } from "../../../agents/places/surroundings.ts";
import { type ContextFiles, LEDGER_FILE } from "../../../contracts/context-files.ts";
import { delay } from "../../../foundation/abort.ts";
import { createSemaphore } from "../../../foundation/semaphore.ts";
import { type Claim, type ClaimRequest, takeClaim } from "../../../host/exclusive-claim.ts";
import type { GitHost } from "../../../host/git/git-repositories.ts";
import type { GitOptions } from "../../../host/host.ts";
import type { ConfigSettings } from "../config/config-settings.ts";
import type { Machine } from "../machine.ts";
import { repositoryBusy, stateUnwritable } from "../place/errors.ts";
import { type Project, runtimeDirectory, stateDirectory } from "../place/project.ts";
import { filterTrust } from "./git-filters.ts";

/** The run whose agents need places. */
export interface SurroundedRun extends GitHost {
  readonly run: string;
  readonly contextFiles?: ContextFiles | undefined;
  /** Absolute directory of the trajectories that the run leaves. Defaults to none. */
  readonly trajectories?: string | undefined;
  /** Whether sandboxes are left out because somebody said so. Defaults to false. */
  readonly isUnsandboxed?: boolean | undefined;
  /** What the configuration lets sandboxes see, write and reach. Defaults to nothing more. */
  readonly sandbox?: ConfigSettings["sandbox"] | undefined;
}

const PAUSE_MS = 50;
const LONGEST_WAIT_MS = 300_000;

/** What surrounds the places of a run's agents on this machine. */
export function agentSurroundings(machine: Machine, given: SurroundedRun): Surroundings {
  const { project, env, keepsFiles } = machine;
  const {
    run,
    contextFiles,
    trajectories,
    repositories,
    isUnsandboxed = false,
    sandbox: { read = [], write = [], network = [] } = {},
  } = given;
  const home = env["HOME"] || homedir();
  const toPath = (path: string) => path.replace(/^~(?=\/|$)/, home);
  const runDirectory = join(project.runsDirectory, run);
  return {
    repositories,
    home,
    sandbox: { read: read.map(toPath), write: write.map(toPath), network },
    troupeDirectory: project.troupeDirectory,
    ...(keepsFiles ? { runDirectory } : {}),
    hidden: [project.runsDirectory, stateDirectory(env), runtimeDirectory(env)],
    written: runFilesOf(project, contextFiles, trajectories),
    isUnsandboxed,
    exclusively: exclusivelyOn(machine, run),
  };
}

/** What git is not to take for work, and where it remembers what it has seen of the run. */
export function gitOptions(
  machine: Machine,
  run: string,
  { contextFiles, trajectories }: Pick<SurroundedRun, "contextFiles" | "trajectories">,
): GitOptions {
  const { project, keepsFiles } = machine;
  const ownFiles = ownFilesOf(project, contextFiles, trajectories);
  const directory = join(project.runsDirectory, run);
  const git = { ownFiles, trustsFilter: filterTrust(machine) };
  return keepsFiles && existsSync(directory) ? { ...git, directory } : git;
}

/** What Troupe itself writes while agents work, absolute: nobody's work, wherever it lies. */
export function ownFilesOf(
  { troupeDirectory }: Pick<Project, "troupeDirectory">,
  files?: ContextFiles,
  trajectories?: string,
): readonly string[] {
  const mirrors = files === undefined ? [] : mirrorsOf(files);
  return [troupeDirectory, ...mirrors, ...(trajectories === undefined ? [] : [trajectories])];
}

/**
 * What Troupe writes for its runs while agents work. The rest of its directory (configuration, agents, workflows,
 * skills) is what later runs obey, and a change there counts like any other.
 */
function runFilesOf(
  { troupeDirectory, runsDirectory }: Pick<Project, "troupeDirectory" | "runsDirectory">,
  files?: ContextFiles,
  trajectories?: string,
): readonly string[] {
  const [, ...others] = ownFilesOf({ troupeDirectory }, files, trajectories);
  const index = ["", "-wal", "-shm", "-journal"].map((end) => `index.db${end}`);
  const own = [...index, "context"].map((name) => join(troupeDirectory, name));
  return [runsDirectory, ...own, ...others];
}

/** The files that mirror what agents tell each other. */
function mirrorsOf(files: ContextFiles): readonly string[] {
  const { directory, channelFile, documentFile } = files;
  const names = [channelFile, documentFile, LEDGER_FILE].filter((name) => name !== undefined);
  return names.map((name) => join(directory, name));
}

/** Keeps other work on a repository away: that of this process by a queue, that of others by a claim. */
function exclusivelyOn(machine: Machine, holder: string): Surroundings["exclusively"] {
  const turn = createSemaphore(1);
  const never = new AbortController().signal;
  return async (repository, work) => {
    await turn.acquire(never);
    try {
      if (!machine.keepsFiles) return await work();
      const release = await claimRepository(machine, repository, holder);
      try {
        return await work();
      } finally {
        release();
      }
    } finally {
      turn.release();
    }
  };
}

/** Claims a repository among all processes of this user, waiting for others. Raises RUN_REPOSITORY_BUSY, RUN_STATE_UNWRITABLE. */
export async function claimRepository(
  { env, identity, table, clock, beats }: Machine,
  repository: string,
  holder: string,
): Promise<() => void> {
  const path = join(stateDirectory(env), "host.db");
  const name = JSON.stringify(["repository", repository]);
  const startMs = clock.monotonic();
  for (;;) {
    const claim = claimAt({ path, name, holder, identity, table, beats });
    if (claim.status === "taken") return () => claim.release();
    if (clock.monotonic() - startMs > LONGEST_WAIT_MS)
      throw repositoryBusy({ repository, ...claim });
    await delay(clock, PAUSE_MS, new AbortController().signal);
  }
}

/** Raises RUN_STATE_UNWRITABLE. */
function claimAt(request: ClaimRequest): Claim {
  try {
    return takeClaim(request);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw stateUnwritable({ path: request.path, problem }, { cause: error });
  }
}
