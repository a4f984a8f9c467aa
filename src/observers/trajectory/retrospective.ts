import type { EventOf, JournalEvent } from "../../contracts/events/event.ts";
import type { Retrospective, TrajectoryDecision } from "../../contracts/trajectory.ts";
import { resultOutput } from "../../fold/result-output.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { count } from "../../foundation/count.ts";
import { formatDuration } from "../../foundation/duration.ts";
import { present } from "../../foundation/present.ts";
import { clipText } from "./clip-text.ts";

/** What a run is looked back at with. */
export interface PastRun {
  readonly events: readonly JournalEvent[];
  readonly state: RunState;
  readonly decisions: readonly TrajectoryDecision[];
  readonly ended: EventOf<"run-ended">;
}

const MAX_LISTED = 20;
/** The last ones; the chapters tell of all. */
const MAX_DECISIONS = 200;
const LINE_CHARS = 300;

/**
 * What is to be remembered of a run that is over, from nothing but its journal. Undefined where nothing was tried:
 * then nobody can say how sure to be of it.
 */
export function retrospectiveOf({
  events,
  state,
  decisions,
  ended,
}: PastRun): Retrospective | undefined {
  const sureness = surenessOf(events);
  if (sureness === undefined) return undefined;
  const { share, basis } = sureness;
  const challenges = distinct(events.flatMap(challengeIn));
  const learnings = distinct(events.flatMap(learningIn));
  return {
    summary: summaryOf(state, ended),
    approach: `${approachOf(state)}; confidence: ${basis}`,
    ...present({
      decisions: unlessEmpty(decisions.slice(-MAX_DECISIONS)),
      challenges: unlessEmpty(challenges),
      learnings: unlessEmpty(learnings),
    }),
    confidence: share,
    timeSpent: formatDuration(ended.durationMs),
  };
}

function summaryOf(state: RunState, { outcome, reason, error }: EventOf<"run-ended">): string {
  if (outcome === "completed") return clipText(resultOutput(state), reason || outcome);
  return clipText(`${outcome}: ${error?.message ?? reason}`, outcome);
}

function approachOf({ run, agents, steps }: RunState): string {
  const parts = [count(agents.size, "agent")];
  if (steps.byPath.size > 0) parts.push(count(steps.byPath.size, "step"));
  return `${run.program}, ${parts.join(", ")}`;
}

interface Sureness {
  readonly share: number;
  readonly basis: string;
}

/** The mean of what agents said of their own sureness; where none did, how much of what was tried came to a good end. */
function surenessOf(events: readonly JournalEvent[]): Sureness | undefined {
  const told = events.flatMap((event) =>
    event.type === "signal-received" && event.counted ? (event.signal.confidence ?? []) : [],
  );
  if (told.length > 0) {
    const share = told.reduce((sum, each) => sum + each, 0) / told.length;
    return { share: rounded(share), basis: `mean of ${count(told.length, "share")} of agents` };
  }
  const steps = successOf(events, "step-completed", ["step-failed", "step-retrying"]);
  return steps === undefined
    ? toSureness(successOf(events, "turn-completed", ["turn-failed"]), "turn")
    : toSureness(steps, "attempt");
}

interface Success {
  readonly good: number;
  readonly all: number;
}

/** How much of what was tried came to a good end; undefined where nothing was tried. */
function successOf(
  events: readonly JournalEvent[],
  success: JournalEvent["type"],
  failures: readonly JournalEvent["type"][],
): Success | undefined {
  const good = events.filter(({ type }) => type === success).length;
  const all = good + events.filter(({ type }) => failures.includes(type)).length;
  return all === 0 ? undefined : { good, all };
}

function toSureness(success: Success | undefined, noun: string): Sureness | undefined {
  if (success === undefined) return undefined;
  const { good, all } = success;
  return { share: rounded(good / all), basis: `${good} of ${count(all, noun)} succeeded` };
}

function rounded(share: number): number {
  return Math.round(share * 1000) / 1000;
}

function challengeIn(event: JournalEvent): readonly string[] {
  switch (event.type) {
    case "step-failed":
    case "step-retrying":
      return [`${event.path}: ${event.error.message}`];
    case "verification-failed":
      return [`${event.step}: did not pass: ${event.check}`];
    case "agent-nudged":
      return [`${event.agent}: ${event.observation}`];
    case "agent-restarted":
      return [`${event.agent} had to begin anew`];
    case "budget-exceeded":
      return [`the ${event.meter} limit of the ${event.of} was reached`];
    case "guard-tripped":
      return [`${event.guard}: ${event.reason}`];
    case "signal-received": {
      const { kind, value } = event.signal;
      const isTrouble = event.counted && (kind === "blocked" || kind === "failed");
      return isTrouble ? [`${event.agent} is ${kind}: ${value}`] : [];
    }
    default:
      return [];
  }
}

/** What agents themselves say that they have understood. */
function learningIn(event: JournalEvent): readonly string[] {
  if (event.type === "reflection-made") return event.by === "system" ? [] : [event.synthesis];
  if (event.type === "record-added")
    return event.record.kind === "decision" ? [] : [event.record.text];
  if (event.type !== "signal-received" || !event.counted) return [];
  return event.signal.kind === "reflect" ? [event.signal.value] : [];
}

function distinct(texts: readonly string[]): string[] {
  const lines = texts.map((text) => clipText(text, "", LINE_CHARS)).filter((text) => text !== "");
  const all = [...new Set(lines)];
  if (all.length <= MAX_LISTED) return all;
  return [...all.slice(0, MAX_LISTED), `${all.length - MAX_LISTED} more`];
}

function unlessEmpty<Item>(items: Item[]): Item[] | undefined {
  return items.length === 0 ? undefined : items;
}
