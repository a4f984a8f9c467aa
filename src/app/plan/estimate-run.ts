import type { Budget } from "../../contracts/budget.ts";
import type { TurnEstimate } from "../../contracts/ports/pattern.ts";
import { isRecord } from "../../foundation/json.ts";
import type { PlannedPrompt, PlannedStep } from "../workflow/shapes/planned-step.ts";
import type { EarlierFigures } from "./earlier-runs.ts";
import type { Guess, RunEstimate } from "./run-plan.ts";

/** What an estimate rests on. */
export interface EstimateSources {
  readonly steps: readonly PlannedStep[];
  readonly prompts: readonly PlannedPrompt[];
  /** Turns of all agents together, where something else than steps bounds them; null where nothing does. */
  readonly maxTurns: number | null | undefined;
  /** The same as its pattern knows it. */
  readonly patternTurns: TurnEstimate | undefined;
  readonly budget: Budget;
  readonly timeoutMs: number | undefined;
  readonly earlier: readonly EarlierFigures[];
  /** Whether no agent uses a model. */
  readonly isFree: boolean;
}

/** Estimates a run from its rehearsal and from earlier ones; what nothing tells is unknown. */
export function estimateRun(sources: EstimateSources): RunEstimate {
  const { earlier, budget, isFree, timeoutMs } = sources;
  const free: Guess | undefined = isFree ? { basis: "free", value: 0 } : undefined;
  return {
    turns: estimateTurns(sources),
    earlierTurns: guess(earlier, ({ turns }) => turns, undefined),
    costUsd: free ?? guessCost(earlier, budget.cost),
    tokens: free ?? guess(earlier, ({ tokens }) => tokens, budget.tokens),
    durationMs: guess(earlier, ({ durationMs }) => durationMs, budget.wallClockMs ?? timeoutMs),
  };
}

function estimateTurns(sources: EstimateSources): RunEstimate["turns"] {
  const { steps, prompts, maxTurns = 0, patternTurns, budget } = sources;
  if (patternTurns !== undefined) return ofPattern(patternTurns, sources);
  const conditional = new Set(steps.filter((step) => step.mayBeSkipped).map(({ id }) => id));
  const likely = prompts.length;
  const skippable = prompts.filter(({ step }) => step !== null && conditional.has(step)).length;
  const known = new Set(steps.map(({ id }) => id));
  const others = prompts.filter(({ step }) => step === null || !known.has(step)).length;
  const most = steps.reduce((sum, step) => sum + mostTurns(step), others);
  const atMost = budget.turns ?? Infinity;
  const max = Math.min(maxTurns === null ? Infinity : Math.max(likely, most, maxTurns), atMost);
  return {
    min: Math.min(likely - skippable, atMost),
    likely: Math.min(likely, atMost),
    max: max === Infinity ? null : max,
  };
}

/** What a pattern says of itself, and how many of these turns a rehearsal took. */
function ofPattern(
  { least, most, basis }: TurnEstimate,
  { prompts, budget }: EstimateSources,
): RunEstimate["turns"] {
  const atMost = budget.turns ?? Infinity;
  const max = Math.min(most ?? Infinity, atMost);
  const likely = Math.min(Math.max(least, prompts.length), max);
  return { min: Math.min(least, atMost), likely, max: max === Infinity ? null : max, basis };
}

/** Every attempt may need a reminder of the signal that it owes. */
function mostTurns(step: PlannedStep): number {
  const { agent, expects, maxAttempts, fallback, escalateTo } = step;
  const undoing = isUndoneByAgent(step) ? maxAttempts * 2 : 0;
  if (agent === null) return undoing;
  const helpers = new Set([...fallback, ...(escalateTo === null ? [] : [escalateTo])]);
  helpers.delete(agent);
  return undoing + (maxAttempts + helpers.size) * (expects === null ? 1 : 2);
}

function isUndoneByAgent({ settings: { compensate } }: PlannedStep): boolean {
  return isRecord(compensate) && Object.hasOwn(compensate, "agent");
}

function guessCost(earlier: readonly EarlierFigures[], atMost: number | undefined): Guess {
  const found = guess(earlier, ({ costUsd }) => costUsd, atMost);
  if (found.basis !== "earlier-runs") return found;
  const isEstimate = earlier.some(({ isCostEstimated }) => isCostEstimated);
  return isEstimate ? { ...found, isEstimate: true } : found;
}

function guess(
  earlier: readonly EarlierFigures[],
  figureOf: (run: EarlierFigures) => number | null,
  atMost: number | undefined,
): Guess {
  const values = earlier.map(figureOf).filter((value) => value !== null);
  const value = median(values);
  if (value !== undefined) return { basis: "earlier-runs", value, runs: values.length };
  return atMost === undefined ? { basis: "unknown" } : { basis: "budget", atMost };
}

function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1);
  return middle.length === 0
    ? undefined
    : middle.reduce((sum, value) => sum + value, 0) / middle.length;
}
