import type { StigmergySpec } from "../../contracts/stigmergy.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { quoteLine } from "../inbox-text.ts";
import { trailOf } from "./run-trails.ts";

/** Most marks that a prompt shows; the tool shows all. */
const MAX_MARKS = 50;

/**
 * What an agent is told of the marks before a turn: how to leave one, and those that there are, the strongest first.
 * Agents wrote the keys, so each line is quoted.
 */
export function renderTrail(state: RunState, rules: StigmergySpec): string {
  const { trail, nowMs } = trailOf(state, rules);
  const marks = trail.readAll(nowMs);
  const fade = rules.decayRate === 0 ? "" : ` They fade: ${rules.decayRate * 100}% a second.`;
  const how = `All of you leave marks for each other: a number at a key, by a line \`DEPOSIT: <key> <number>\`; ${JOINED[rules.reinforcement]}.${fade}`;
  if (marks.length === 0) return `${how} There are none yet.`;
  const shown = marks
    .slice(0, MAX_MARKS)
    .map(({ key, value, lastUpdatedBy }) => quoteLine(`${key} ${round(value)} (${lastUpdatedBy})`));
  const more = marks.length - shown.length;
  const rest = more === 0 ? [] : [`(${more} weaker ones are left out)`];
  return [`${how} The strongest now:`, ...shown, ...rest].join("\n");
}

const JOINED: { readonly [rule in StigmergySpec["reinforcement"]]: string } = {
  additive: "what is there already grows by it",
  multiplicative: "what is there already is multiplied by it",
  max: "the greater one stays",
};

function round(value: number): number {
  return Number(value.toPrecision(4));
}
