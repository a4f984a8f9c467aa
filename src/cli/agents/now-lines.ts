import type { RunListing } from "../../app/runs/run-heads.ts";
import { findAgent, shownStatus } from "../../fold/state/agent-lookup.ts";
import type { AgentState } from "../../fold/state/agent-state.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { formatDuration } from "../../foundation/duration.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { TROUPE } from "../command/called-as.ts";
import { resumeCommandOf } from "../command/resume-command.ts";
import { fitTable } from "../terminal/fit-table.ts";
import type { Glyphs } from "../terminal/glyphs.ts";
import type { Settings } from "../terminal/settings.ts";
import { type RunningTurn, runningTurns, tellActivity } from "../view/live/running-turns.ts";
import type { ActivityLog } from "../view/live/turn-activity.ts";
import { excerpt } from "../view/parts/excerpt.ts";

/** What is known of this moment. */
export interface Now {
  readonly state: RunState;
  /** As the store lists the run; undefined when it cannot be listed yet. */
  readonly listing: RunListing | undefined;
  readonly activity: ActivityLog;
  readonly nowMs: number;
}

const MAX_TEXT_CHARS = 200;
const MIN_TEXT_CHARS = 20;
const COLUMNS_AROUND_TEXT = 40;

/** What agents do right now, a line each, and below them the run: the one named, else all that are alive. */
export function nowLines(
  moment: Now,
  agent: string | undefined,
  settings: Settings,
): readonly string[] {
  const { state } = moment;
  const shown =
    agent === undefined
      ? [...state.agents.values()].filter(({ exit }) => exit === undefined)
      : [findAgent(state, agent)].filter((each) => each !== undefined);
  const turns = runningTurns({ state, activity: moment.activity, ...NOTHING_PLANNED, nowMs: 0 });
  const rows = shown.map((each) => {
    const turn = turns.find((running) => running.agent.id === each.id);
    return [`  ${each.id}`, ...doingOf(each, turn, { moment, settings })];
  });
  return [...fitTable(rows, { settings, cuts: [3, 0, 1] }), runLine(moment, settings.glyphs)];
}

const NOTHING_PLANNED = { plan: [], below: new Map(), sent: new Set<string>() };

interface Telling {
  readonly moment: Now;
  readonly settings: Settings;
}

/** Status, for how long, and what it is about. */
function doingOf(
  agent: AgentState,
  running: RunningTurn | undefined,
  { moment, settings }: Telling,
): readonly string[] {
  const { glyphs, width } = settings;
  const maxChars = Math.min(MAX_TEXT_CHARS, Math.max(MIN_TEXT_CHARS, width - COLUMNS_AROUND_TEXT));
  const shorten = (text: string) => excerpt(text, { maxChars, ellipsis: glyphs.ellipsis });
  if (running === undefined) {
    const why = agent.statusReason === undefined ? "" : ` (${shorten(agent.statusReason)})`;
    const said = agent.lastText === undefined ? "" : `said: ${shorten(agent.lastText)}`;
    return [`${glyphs.skipped} ${shownStatus(agent)}${why}`, "", said];
  }
  const { turn, isAsking } = running;
  const sign = isAsking ? `${glyphs.attention} waits for you` : `${glyphs.working} ${agent.status}`;
  const step = turn.step === undefined ? "" : `, step ${turn.step.path}`;
  const [tool = `turn ${turn.turn}${step}`] = tellActivity(running, glyphs.ellipsis);
  const forMs = Math.max(0, moment.nowMs - turn.startedAt);
  return [sign, formatDuration(forMs), shorten(tool)];
}

function runLine({ state, listing }: Now, glyphs: Glyphs): string {
  const { id, workflow, instance } = state.run;
  const name = toPrintable(`${id} ${workflow}@${instance}`);
  if (listing === undefined) return name;
  const isResting = listing.owner === undefined && listing.outcome === null;
  const hint = isResting ? `: ${resumeCommandOf(state)}` : "";
  const needs = listing.needs === 0 ? "" : ` ${glyphs.dot} needs you: ${TROUPE} inbox`;
  return `${name} ${glyphs.dot} ${listing.state}${hint}${needs}`;
}
