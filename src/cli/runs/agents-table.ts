import { agentAddress } from "../../app/runs/agent-address.ts";
import type { ListedRun } from "../../app/runs/run-index.ts";
import type { AgentStatus } from "../../contracts/agent.ts";
import type { RunStatus } from "../../contracts/run.ts";
import { count as counted } from "../../foundation/count.ts";
import { TROUPE } from "../command/called-as.ts";
import { fitTable } from "../terminal/fit-table.ts";
import type { PaintRole } from "../terminal/paint.ts";
import type { Settings } from "../terminal/settings.ts";
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
const AT_WORK: ReadonlySet<AgentStatus> = new Set(["starting", "working"]);

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

/** How agents are told. */
export interface AgentsTelling {
  readonly isAll: boolean;
  readonly settings: Settings;
  readonly nowMs: number;
  /** Most runs of a project. */
  readonly limit: number;
}

// What nobody has touched for a day is history, unless it asks for something.
const QUIET_MS = 86_400_000;

/** Whether a run goes on in name only: nobody carries it out, it asks for nothing, and nothing happened for a day. */
function isQuiet({ owner, needs, lastAt }: ListedRun, nowMs: number): boolean {
  return owner === undefined && needs === 0 && nowMs - Date.parse(lastAt) > QUIET_MS;
}

/** What is left out, and how to see it; undefined when all is shown. */
function hiddenLine(
  projects: readonly ProjectRuns[],
  shown: readonly ProjectRuns[],
): string | undefined {
  const count = (each: readonly ProjectRuns[]) => {
    const runs = each
      .flatMap((project) => project.runs)
      .filter(({ roster }) => roster?.agents.length);
    return [runs.length, runs.flatMap(({ roster }) => roster?.agents ?? []).length] as const;
  };
  const [[runs, agents], [shownRuns, shownAgents]] = [count(projects), count(shown)];
  const [moreRuns, more] = [runs - shownRuns, agents - shownAgents];
  if (more === 0) return undefined;
  return `and ${counted(more, "agent")} of ${counted(moreRuns, "quiet run")}: ${TROUPE} list -a`;
}

/** Agents for people: a table, and below it the runs that need them. */
export function agentsLines(
  projects: readonly ProjectRuns[],
  { isAll, settings, nowMs, limit }: AgentsTelling,
): readonly string[] {
  const isShown = (run: ListedRun) => isAll || !isQuiet(run, nowMs);
  const shown = projects.map(({ runs, ...place }) => ({
    ...place,
    runs: runs.filter(isShown).slice(0, limit),
  }));
  const rows = shown.flatMap((one) => one.runs.flatMap((run) => rowsOf(run, one, settings)));
  const hidden = hiddenLine(projects, shown);
  if (rows.length === 0)
    return [
      ...(hidden === undefined ? [] : [hidden]),
      isAll ? `no agents yet: ${TROUPE} demo shows some` : `no agent is alive: ${TROUPE} list -a`,
    ];
  const isOfMany = projects.some(({ project }) => project !== undefined);
  const header = isOfMany ? [...HEADER, "PROJECT"] : HEADER;
  const waiting = waitingRunLines(
    projects.flatMap(({ runs }) => runs),
    settings,
  );
  const table = fitTable([header, ...rows], {
    settings,
    hasHeader: true,
    cuts: [4, 2, 0, 5],
    drops: [2, 3],
    roleOf: (cell, column) => (column === 4 ? roleOfStatus(cell) : undefined),
  });
  return [...table, ...(hidden === undefined ? [] : [hidden]), ...waiting];
}

function rowsOf(
  run: ListedRun,
  { project }: ProjectRuns,
  { glyphs, maxColumns }: Settings,
): readonly (readonly string[])[] {
  return (run.roster?.agents ?? []).map(({ name, backend, status, statusText }, index) => {
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
    const standing = run.state === "suspended" && AT_WORK.has(status) ? "cut off" : status;
    const told = notes.length === 0 ? standing : `${standing} (${notes.join(", ")})`;
    const source = sourceOf(run) ?? `(${run.workflow})`;
    const place = project === undefined ? [] : [project];
    // In a terminal the rows of a run read as a group; what is piped has all of it in each line.
    const isBelow = index > 0 && maxColumns !== Infinity;
    const of = isBelow ? ["", ""] : [run.run, source];
    return [addressOf(run, name), ...of, backend, told, ...place];
  });
}

function roleOfStatus(told: string): PaintRole | undefined {
  if (told.startsWith("working") || told.startsWith("starting")) return "working";
  if (told.startsWith("waiting-permission") || told.startsWith("stuck")) return "attention";
  return /^(idle|exited)/u.test(told) ? "aside" : undefined;
}

function sourceOf({ roster }: ListedRun): string | null {
  return roster?.isStandalone ? STANDALONE : (roster?.source ?? null);
}

function addressOf({ instance, roster }: ListedRun, name: string): string {
  return agentAddress({ name, instance, isStandalone: roster?.isStandalone ?? false });
}
