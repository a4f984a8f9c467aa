import type { ReusableStep, ReuseKey } from "../../contracts/events/reuse.ts";
import type { StepSpec } from "../../contracts/step.ts";
import { sha256 } from "../../foundation/hash.ts";
import { canonicalJson, toJson } from "../../foundation/json.ts";
import type { ConventionFacts } from "../patterns/conventions/convention-facts.ts";
import { markerOf } from "./step-attempt.ts";
import type { StepResult } from "./step-results.ts";
import type { VariableSources } from "./step-variables.ts";
import type { Team } from "./team.ts";

/** A step with its task, as it is about to be carried out. */
interface GivenStep {
  readonly step: StepSpec;
  readonly task: string;
  readonly convention: (facts: ConventionFacts) => string;
}

type StepKey = ReuseKey & { readonly step: string };

/** The hash of all that a step is given: its task, what it is told of others, its agent and its checks. */
export function hashOfInput(
  { context, definition }: VariableSources,
  team: Team,
  { step, task, convention }: GivenStep,
): string {
  const { agent, expects, verify, fallback, escalateTo } = step;
  // The channel may be named after the run.
  const facts = { ...team.facts(agent, markerOf(step, team.handle(agent))), channel: "" };
  const spec = definition.agents.find(({ id }) => id === agent);
  const { task: runTask, params } = context.run;
  // Checks are templates of their own.
  const seenByChecks = verify.length === 0 ? undefined : { runTask, params };
  const given = { task, told: convention(facts), spec, expects, fallback, escalateTo };
  const input = { ...given, verify, seenByChecks };
  return sha256(canonicalJson(toJson(input, "the input of a step")));
}

/** What an earlier run made of the same. Steps that open a barrier are carried out: only their signal opens it. */
export function findReusable(
  { context, definition }: VariableSources,
  key: StepKey,
): ReusableStep | undefined {
  const agent = definition.steps.find(({ id }) => id === key.step)?.agent;
  const opensBarrier = definition.barriers.some(({ waitFor }) => waitFor.includes(agent ?? ""));
  return opensBarrier ? undefined : context.reusable(key);
}

/** Notes that an earlier run did the step, and hands on what it came to. */
export function takeOver(
  { context }: VariableSources,
  key: StepKey,
  done: ReusableStep,
): StepResult {
  context.note({ type: "step-completed", ...key, ...done });
  const { output: recorded, text = recorded, reason, agent = "", attempt, durationMs } = done;
  const revised = context.revised(key)?.output;
  const handedOver =
    revised === undefined ? { output: recorded, text } : { output: revised, text: revised };
  return { status: "completed", agent, ...handedOver, reason, attempts: attempt, durationMs };
}
