import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import { compensationOf, isCompensation } from "../../../contracts/step.ts";
import type { StepState } from "../../../fold/state/step-state.ts";
import type { Machine } from "../../machine/machine.ts";
import { isInsidePlace } from "../../runs/step-place.ts";
import type { OrderedStep } from "../../workflow/shapes/shape.ts";
import { dependentsOf, type RerunChoice, whyAgain } from "./rerun-choice.ts";
import { type RunToRepeat, readEarlier } from "./rerun-run.ts";

/** What becomes of a step in a rerun, as far as can be told before. */
export interface RerunStep {
  readonly step: string;
  readonly path: string;
  readonly plan: "reused" | "again";
  readonly why: string;
}

/** What a rerun would do. */
export interface RerunPlan {
  readonly run: string;
  readonly steps: readonly RerunStep[];
  /** Agents that keep their sessions and would remember nothing of the steps that are reused. */
  readonly forgetful: readonly string[];
}

/** Explains a rerun without making one. Raises RUN_NOT_FOUND, RUN_NEVER_BEGAN, RUN_STEP_UNKNOWN, STORE_* errors. */
export async function explainRerun(
  machine: Machine,
  given: string,
  choice: RerunChoice,
): Promise<RerunPlan> {
  const earlier = await readEarlier(machine, given, choice);
  const { state, definition, ordered, offered } = earlier;
  const reason = whyAgain(ordered, choice);
  const reusable = new Set(offered.map(({ path }) => path));
  const known = [...state.steps.byPath.values()];
  const steps = known.filter(isOwnWork).map((step): RerunStep => {
    const { path, step: id } = step;
    const why = reason(path) ?? barrierOf(definition, step) ?? ownReason(step, { known, reusable });
    if (why !== undefined) return { step: id, path, plan: "again", why };
    return { step: id, path, plan: "reused", why: `completed in ${state.run.id}` };
  });
  const begun = new Set(known.map(({ step }) => step));
  const rest = ordered
    .filter(({ id }) => !begun.has(id))
    .map(({ id }): RerunStep => ({ step: id, path: id, plan: "again", why: "has not begun" }));
  const planned = withDoubts(ordered, [...steps, ...rest]);
  return { run: state.run.id, steps: planned, forgetful: forgetfulAgents(earlier, planned) };
}

/** Whether a step does something, and does not undo what another one did. */
function isOwnWork({ step }: StepState): boolean {
  return !isCompensation(step);
}

/** Why a step cannot be taken over, by what it came to. */
function ownReason(
  step: StepState,
  {
    known,
    reusable,
  }: { readonly known: readonly StepState[]; readonly reusable: ReadonlySet<string> },
): string | undefined {
  switch (step.status) {
    case "completed":
      if (reusable.has(step.path)) return undefined;
      if (known.some((each) => isUndoneBy(each, step))) return "was undone";
      if (known.some(({ path }) => isInsidePlace(path, step.path)))
        return "what is inside of it is reused step by step";
      return "the earlier run does not say what it was given, or a person rejected it";
    case "failed":
      return `failed: ${step.error.message}`;
    case "blocked":
      return `was blocked by ${step.by.join(", ")}`;
    case "skipped":
      return `is decided anew: ${step.reason}`;
    case "cancelled":
      return `was cancelled: ${step.reason}`;
    case "running":
    case "retrying":
      return "was not done";
  }
}

function isUndoneBy(other: StepState, { path }: StepState): boolean {
  return !isOwnWork(other) && other.path === compensationOf(path);
}

function barrierOf(definition: WorkflowDefinition, { agent = "" }: StepState): string | undefined {
  if (!("barriers" in definition)) return undefined;
  const barrier = definition.barriers.find(({ waitFor }) => waitFor.includes(agent));
  return barrier === undefined ? undefined : `only its signal opens the barrier ${barrier.id}`;
}

/** What comes after a step that is carried out again may be given something else. */
function withDoubts(
  ordered: readonly OrderedStep[],
  steps: readonly RerunStep[],
): readonly RerunStep[] {
  const causes = new Map<string, string>();
  for (const { plan, step } of steps)
    if (plan === "again")
      for (const id of dependentsOf(ordered, step)) if (!causes.has(id)) causes.set(id, step);
  return steps.map((step) => {
    const cause = step.plan === "reused" ? causes.get(step.step) : undefined;
    if (cause === undefined) return step;
    return { ...step, why: `${step.why}; again if ${cause} gives it something else` };
  });
}

function forgetfulAgents(
  { definition, ordered }: Pick<RunToRepeat, "definition" | "ordered">,
  steps: readonly RerunStep[],
): readonly string[] {
  const plans = new Map(steps.map(({ step, plan }) => [step, plan]));
  const has = (agent: string, plan: RerunStep["plan"]) =>
    ordered.some((step) => step.agent === agent && plans.get(step.id) === plan);
  return definition.agents
    .filter(({ id, session }) => session === "keep" && has(id, "reused") && has(id, "again"))
    .map(({ id }) => id);
}
