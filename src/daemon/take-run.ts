import type { BackgroundRun, BackgroundRuns } from "../app/background/background-runs.ts";
import { daemonStopping } from "../app/background/errors.ts";
import { rememberProject } from "../app/machine/known-projects.ts";
import type { Environment } from "../app/machine/place/project.ts";
import type { WorkflowRun } from "../app/run/owner/workflow-run.ts";
import type { DaemonLog } from "./daemon-log.ts";
import type { HeldRuns } from "./held-runs.ts";

/** What the daemon takes runs with. */
export interface TakeOptions {
  readonly background: BackgroundRuns;
  readonly held: HeldRuns;
  readonly log: DaemonLog;
  /** Of the daemon. */
  readonly env: Environment;
}

/** Takes a run into the hands of this process; resolves once it is carried out. Raises DAEMON_STOPPING and what `begin` raises. */
export async function takeRun(
  entry: BackgroundRun,
  { background, held, log, env }: TakeOptions,
  begin: () => Promise<WorkflowRun>,
): Promise<{ readonly run: string }> {
  if (held.isDraining) throw daemonStopping({});
  const { run, troupeDirectory } = entry;
  const before = background
    .all()
    .find((other) => other.run === run && other.troupeDirectory === troupeDirectory);
  try {
    await held.take(entry, begin);
  } catch (error) {
    // The client is told; the list says of the run what it said before.
    if (held.has(entry)) throw error;
    if (before === undefined) background.remove(entry);
    else background.put(before);
    throw error;
  }
  try {
    rememberProject(env, entry.project);
  } catch (error) {
    log.failure("the list of known projects could not be written", error);
  }
  return { run };
}
