import type { Guess, RunEstimate, RunPlan } from "../../app/plan/run-plan.ts";
import type { PlannedGuards } from "../../app/workflow/shapes/planned-step.ts";
import { count } from "../../foundation/count.ts";
import { formatDuration } from "../../foundation/duration.ts";
import type { Json } from "../../foundation/json.ts";
import { toPrintable, toPrintableLines } from "../../foundation/printable.ts";
import type { Settings } from "../terminal/settings.ts";
import { plannedAgentLines } from "./agent-lines.ts";
import { budgetText } from "./plan-words.ts";
import { plannedStepLines, promptLines } from "./step-lines.ts";

/** What of a plan is shown. */
export interface PlanView {
  readonly settings: Settings;
  /** The drawing of its graph. */
  readonly graph: string;
  /** Ids of the steps that are shown; all of them when absent. */
  readonly wanted?: ReadonlySet<string>;
}

/** A plan for people: graph, agents, steps with what each is told, limits, estimate. */
export function planLines(plan: RunPlan, { settings, graph, wanted }: PlanView): readonly string[] {
  const { paint } = settings;
  const heading = (text: string) => ["", paint(text, "message")];
  const steps = plan.steps.filter(({ id }) => wanted?.has(id) ?? true);
  const shown = new Set(steps.map(({ id }) => id));
  const others = plan.prompts.filter(
    ({ step }) => wanted === undefined && (step === null || !shown.has(step)),
  );
  return [
    ...titleLines(plan, settings),
    "",
    graph.trimEnd(),
    ...(plan.setup.length === 0
      ? []
      : [
          ...heading("setup, before anything else"),
          ...plan.setup.flatMap((command) =>
            toPrintableLines(command.trim()).map((line) => `  ${line}`),
          ),
        ]),
    ...heading("agents"),
    ...plannedAgentLines(plan, settings),
    ...(plan.children.length === 0 ? [] : heading("workflows that steps run")),
    ...plan.children.map(childLine),
    ...(plan.steps.length === 0
      ? []
      : heading("steps, in their order, with what each agent is told")),
    ...steps.flatMap((step, index) => [
      ...(index === 0 ? [] : [""]),
      ...plannedStepLines(step, plan, settings),
    ]),
    ...(others.length === 0
      ? []
      : [...heading(othersHeading(plan)), ...others.flatMap(promptLines)]),
    ...heading("limits"),
    ...limitLines(plan),
    ...heading("estimate"),
    ...estimateLines(plan.estimate),
    ...rehearsalLines(plan, settings),
    ...unready(plan, settings),
  ];
}

function othersHeading({ steps, estimate }: RunPlan): string {
  if (steps.length > 0) return "other turns";
  return estimate.turns.basis === undefined
    ? "turns that messages cause"
    : "turns that the pattern gives, if all goes well";
}

function rehearsalLines({ rehearsal }: RunPlan, { glyphs, paint }: Settings): readonly string[] {
  if (rehearsal === null)
    return ["", "which of the steps are carried out, and how often, is decided at run time"];
  const { outcome, reason } = rehearsal;
  if (outcome === "completed") return [];
  const text = `even if every step succeeded, this run would end as ${outcome}: ${toPrintable(reason)}`;
  return ["", paint(`${glyphs.attention} ${text}`, "warning")];
}

function titleLines(
  { workflow, pattern, file, task, input }: RunPlan,
  { paint }: Settings,
): string[] {
  const from = file === null ? "" : ` from ${toPrintable(file)}`;
  return [
    `${paint(`plan of ${toPrintable(workflow)}`, "message")} (${pattern})${from}; nothing was started`,
    ...(task === null ? [] : [`task: ${toPrintable(task)}`]),
    ...(input === null ? [] : [`input: ${inputText(input)}`]),
    "‹…› stands for what is known at run time only, run_000000 for the id of the run",
  ];
}

function childLine({
  name,
  workflow,
  pattern,
  agents,
  steps,
}: RunPlan["children"][number]): string {
  const whom = agents.map(({ id, backend }) => `${id} (${backend})`).join(", ");
  const parts = [
    `${name}: ${workflow} (${pattern})`,
    ...(steps.length === 0 ? [] : [`steps ${steps.join(", ")}`]),
    ...(whom === "" ? [] : [`agents ${whom}`]),
  ];
  return `  ${toPrintable(parts.join("; "))}`;
}

function inputText(input: Json): string {
  return toPrintable(typeof input === "string" ? input : JSON.stringify(input));
}

function unready({ agents }: RunPlan, { glyphs, paint }: Settings): readonly string[] {
  const names = agents.filter(({ isReady }) => !isReady).map(({ id }) => id);
  if (names.length === 0) return [];
  return ["", paint(`${glyphs.failed} not ready: ${names.map(toPrintable).join(", ")}`, "failed")];
}

/** An estimate with what each figure rests on. */
function estimateLines(estimate: RunEstimate): readonly string[] {
  const { min, likely, max, basis } = estimate.turns;
  const { earlierTurns, costUsd, tokens, durationMs } = estimate;
  const past =
    earlierTurns.basis === "earlier-runs"
      ? `; ${round(earlierTurns.value)} in the middle of ${count(earlierTurns.runs, "ended run")}`
      : "";
  const most =
    max === null
      ? "as many as its rounds and lists ask for"
      : `at most ${max} with all retries, reminders and helpers`;
  const turns =
    basis === undefined
      ? `${likely} if all goes well, at least ${min}, ${most}`
      : `${max === min ? min : `${min} to ${max ?? "any number"}`} (${toPrintable(basis)})`;
  return [
    `  turns   ${turns}${past}`,
    `  cost    ${guessText(costUsd, (value) => `$${value.toFixed(2)}`)}`,
    `  tokens  ${guessText(tokens, round)}`,
    `  time    ${guessText(durationMs, formatDuration)}`,
  ];
}

function guessText(guess: Guess, format: (value: number) => string): string {
  switch (guess.basis) {
    case "earlier-runs":
      return `${guess.isEstimate === true ? "~" : ""}${format(guess.value)} (median of ${count(guess.runs, "ended run")} of this workflow in this project)`;
    case "budget":
      return `at most ${format(guess.atMost)} (what the limits allow; no earlier run tells more)`;
    case "free":
      return `${format(guess.value)} (no agent uses a model)`;
    case "unknown":
      return "unknown (no ended run of this workflow tells, and no limit is set)";
  }
}

function round(value: number): string {
  return String(Math.round(value));
}

const FAILURES = {
  continue: "blocks what depends on it, the rest goes on",
  abort: "ends the run",
  pause: "waits for a person, who may have it tried again",
} as const satisfies { readonly [policy in NonNullable<RunPlan["limits"]["onFailure"]>]: string };

/** What bounds a run. */
function limitLines({ limits, steps, estimate }: RunPlan): readonly string[] {
  const { timeoutMs, maxConcurrency, onFailure, budget, guards } = limits;
  const isTalk = steps.length === 0 && estimate.turns.basis !== undefined;
  const unit = isTalk ? "turn" : "step";
  const atATime =
    maxConcurrency === null ? `as many ${unit}s as can start` : count(maxConcurrency, unit);
  const failure = onFailure === null ? [] : failureLine(onFailure, isTalk);
  return [
    `  time         ${timeoutMs === null ? "not limited" : `at most ${formatDuration(timeoutMs)} of running time`}`,
    ...(onFailure === null && guards === null ? [] : [`  at a time    ${atATime}`]),
    ...failure,
    ...(guards === null ? [] : [`  guards       ${guardText(guards)}`]),
    `  budget       ${budget === null ? "none" : budgetText(budget)}`,
  ];
}

function failureLine(onFailure: keyof typeof FAILURES, isTalk: boolean): readonly string[] {
  if (!isTalk) return [`  failed step  ${FAILURES[onFailure]}`];
  const meaning =
    onFailure === "continue" ? "leaves the pattern, the others go on" : FAILURES[onFailure];
  return [`  failed turn  ${meaning}`];
}

function guardText({ maxIterations, maxDurationMs, maxErrors }: PlannedGuards): string {
  const time = formatDuration(maxDurationMs);
  return `at most ${count(maxIterations, "step")} one after the other, ${time}, ${count(maxErrors, "failed step")}`;
}
