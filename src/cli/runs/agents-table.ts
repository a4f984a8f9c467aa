import { agentAddress } from "../../app/runs/agent-address.ts";
import type { ListedRun } from "../../app/runs/run-index.ts";
import type { AgentStatus } from "../../contracts/agent.ts";
import type { RunStatus } from "../../contracts/run.ts";
import { TROUPE } from "../command/called-as.ts";
import type { Settings } from "../terminal/settings.ts";
import { alignColumns } from "../terminal/table.ts";
import { excerpt } from "../view/parts/excerpt.ts";
import { waitingRunLines } from "./waiting-runs.ts";

/** An agent as `list --json` prints it. */
export interface ListedAgent {
  readonly name: string;
  readonly run: string;
  readonly instance: string;
  /** The workflow file as it was named, `(standalone)`, or null for a run without a file. */
  readonly source: string | null;
  readonly backend: string;
  /** As the journal has it; of a run that nobody carries out, what it was last. */
  readonly status: AgentStatus;
  /** What the agent says of itself. */
  readonly statusText: string | null;
  /** Of the run. */
  readonly state: RunStatus;
  /** Why the run is not this user's own; absent for one that is. */
  readonly foreign?: string;
  /** Root of the run's project; only where several are listed. */
  readonly project?: string;
}

/** Runs of one project with their agents. */
export interface ProjectRuns {
  /** Its root, where several are listed. */
  readonly project?: string;
  readonly runs: readonly ListedRun[];
}

const HEADER = ["AGENT", "RUN", "SOURCE", "BACKEND", "STATUS"];
const STANDALONE = "(standalone)";
const MAX_STATUS_CHARS = 60;

// What the last event says of an agent says nothing any more when nobody carries its run out.
const RESTING: ReadonlySet<RunStatus> = new Set(["paused", "suspended"]);

/** The public form of the agents. */
export function toAgentEntries({ project, runs }: ProjectRuns): readonly ListedAgent[] {
  return runs.flatMap((listed) => {
    const { run, instance, state, roster } = listed;
    return (roster?.agents ?? []).map(({ name, backend, status, statusText }) => ({
      ...{ name, run, instance, source: sourceOf(listed), backend, status, statusText, state },
      ...(listed.foreign === null ? {} : { foreign: listed.foreign }),
      ...(project === undefined ? {} : { project }),
    }));
  });
}

/** How people name the agents, one a line. */
export function agentNames({ runs }: ProjectRuns): readonly string[] {
  return runs.flatMap((run) => (run.roster?.agents ?? []).map(({ name }) => addressOf(run, name)));
}

/** Agents for people: a table, and below it the runs that need them. */
export function agentsLines(
  projects: readonly ProjectRuns[],
  { isAll, settings }: { readonly isAll: boolean; readonly settings: Settings },
): readonly string[] {
  const rows = projects.flatMap((one) => one.runs.flatMap((run) => rowsOf(run, one, settings)));
  if (rows.length === 0)
    return [
      isAll ? `no agents yet: ${TROUPE} demo shows some` : `no agent is alive: ${TROUPE} list -a`,
    ];
  const isOfMany = projects.some(({ project }) => project !== undefined);
  const header = isOfMany ? [...HEADER, "PROJECT"] : HEADER;
  const waiting = waitingRunLines(
    projects.flatMap(({ runs }) => runs),
    settings,
  );
  return [...alignColumns([header, ...rows]), ...waiting];
}

function rowsOf(
  run: ListedRun,
  { project }: ProjectRuns,
  { glyphs }: Settings,
): readonly (readonly string[])[] {
  return (run.roster?.agents ?? []).map(({ name, backend, status, statusText }) => {
    const isStill = RESTING.has(run.state) && status !== "exited";
    const own = excerpt(statusText ?? "", {
      maxChars: MAX_STATUS_CHARS,
      ellipsis: glyphs.ellipsis,
    });
    const notes = [
      ...(run.foreign === null ? [] : ["foreign"]),
      ...(isStill ? [`run is ${run.state}`] : []),
      ...(own === "" ? [] : [own]),
    ];
    const told = notes.length === 0 ? status : `${status} (${notes.join(", ")})`;
    const source = sourceOf(run) ?? `(${run.workflow})`;
    const place = project === undefined ? [] : [project];
    return [addressOf(run, name), run.run, source, backend, told, ...place];
  });
}

function sourceOf({ roster }: ListedRun): string | null {
  return roster?.isStandalone ? STANDALONE : (roster?.source ?? null);
}

function addressOf({ instance, roster }: ListedRun, name: string): string {
  return agentAddress({ name, instance, isStandalone: roster?.isStandalone ?? false });
}
