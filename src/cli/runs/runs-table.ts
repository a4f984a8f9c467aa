import type { FamilyRun } from "../../app/runs/families/run-families.ts";
import type { RunListing } from "../../app/runs/run-heads.ts";
import type { RunStatus } from "../../contracts/run.ts";
import { count } from "../../foundation/count.ts";
import { formatDuration } from "../../foundation/duration.ts";
import { formatCost } from "../../foundation/money.ts";
import { TROUPE } from "../command/called-as.ts";
import { fitTable } from "../terminal/fit-table.ts";
import type { Glyphs } from "../terminal/glyphs.ts";
import type { Settings } from "../terminal/settings.ts";

const HEADER = ["RUN", "WORKFLOW", "STATE", "STEPS", "AGENTS", "COST", "AGE"];

/** How a table of runs is made. */
export interface RunsTableOptions {
  readonly nowMs: number;
  readonly settings: Settings;
  /** Whether there may be others that were not asked for. */
  readonly isFiltered: boolean;
  /** Root of the project of a run, where several are listed. */
  projectOf(run: FamilyRun): string | undefined;
}

/** Runs for people: a table, and below it what needs them. */
export function runsLines(
  runs: readonly FamilyRun[],
  { nowMs, settings, isFiltered, projectOf }: RunsTableOptions,
): readonly string[] {
  if (runs.length === 0)
    return [isFiltered ? "no such run" : `no runs yet: ${TROUPE} demo shows one`];
  const rows = runs.map((run) => [
    `${"  ".repeat(run.depth)}${run.run}`,
    `${run.workflow}@${run.instance}${scheduledBy(run)}`,
    stateOf(run, settings.glyphs),
    `${run.steps.done}/${run.steps.total}`,
    String(run.agents),
    formatCost(run),
    ageOf(run, nowMs),
    ...placeOf(projectOf(run)),
  ]);
  const isOfMany = runs.some((run) => projectOf(run) !== undefined);
  const header = isOfMany ? [...HEADER, "PROJECT"] : HEADER;
  const table = fitTable([header, ...rows], {
    settings,
    hasHeader: true,
    cuts: [7, 1],
    drops: [4, 5, 3],
  });
  return [...table, ...needsLines(runs), ...foreignLines(runs)];
}

function scheduledBy({ schedule }: RunListing): string {
  return schedule === undefined ? "" : ` (schedule ${schedule.name})`;
}

function placeOf(project: string | undefined): readonly string[] {
  return project === undefined ? [] : [project];
}

/** What to do about runs that somebody else made; nothing without any. */
function foreignLines(runs: readonly FamilyRun[]): readonly string[] {
  const foreign = runs.filter((run) => run.foreign !== null).length;
  if (foreign === 0) return [];
  const verb = foreign === 1 ? "was" : "were";
  return [
    `${count(foreign, "run")} ${verb} not made by you here: look with ${TROUPE} show, ${TROUPE} import RUN makes it yours`,
  ];
}

/** What in these runs waits for a person, in one line; nothing when nothing does. */
function needsLines(runs: readonly FamilyRun[]): readonly string[] {
  const ids = new Set(runs.map(({ run }) => run));
  // What a run needs includes what those below it do.
  const top = runs.filter(({ parent }) => parent === null || !ids.has(parent));
  const needs = top.reduce((sum, run) => sum + run.needs, 0);
  const verb = needs === 1 ? "needs" : "need";
  return needs === 0 ? [] : [`${count(needs, "thing")} ${verb} you: ${TROUPE} inbox`];
}

const GLYPHS: { readonly [state in RunStatus]: keyof Glyphs } = {
  running: "working",
  waiting: "attention",
  paused: "paused",
  suspended: "paused",
  completed: "done",
  failed: "failed",
  rejected: "failed",
  cancelled: "failed",
  "timed-out": "failed",
  "limit-reached": "failed",
};

function stateOf({ state, needs, foreign }: RunListing, glyphs: Glyphs): string {
  if (foreign !== null) return `${glyphs.attention} foreign, ${state}`;
  if (needs > 0) return `${glyphs.attention} ${state}, needs you`;
  return `${glyphs[GLYPHS[state]]} ${state}`;
}

function ageOf({ startedAt, lastAt }: RunListing, nowMs: number): string {
  return formatDuration(Math.max(0, nowMs - Date.parse(startedAt ?? lastAt)));
}
