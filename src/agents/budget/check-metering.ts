import type { AgentSpec } from "../../contracts/agent.ts";
import type { BackendProblem, Metering } from "../../contracts/backend.ts";
import type { Budget } from "../../contracts/budget.ts";
import type { Pricing } from "../../contracts/price.ts";
import type { StepSpec } from "../../contracts/step.ts";

/** The limits that agents are checked against before a run starts. */
export interface MeteringLimits {
  /** Of the run. */
  readonly budget: Budget | undefined;
  readonly pricing: Pricing;
}

/** An agent with what its backend says of its own turns. */
export interface MeteredAgent {
  readonly spec: AgentSpec;
  readonly metering: Metering | undefined;
  /** The steps of the whole workflow. */
  readonly steps: readonly StepSpec[];
}

/** Why limits on cost and tokens could not be kept for an agent: its backend never tells what they count. */
export function unmeteredProblems(
  { spec, metering, steps }: MeteredAgent,
  { budget, pricing }: MeteringLimits,
): readonly BackendProblem[] {
  const budgets = [budget, spec.budget, ...stepBudgets(spec.id, steps)];
  const isLimited = (key: "cost" | "tokens") => budgets.some((each) => each?.[key] !== undefined);
  const knowsTokens = metering !== "none";
  const knowsCost = metering !== "none" && (metering !== "tokens" || pricing(spec) !== undefined);
  return [
    ...(isLimited("cost") && !knowsCost ? [costProblem(spec, knowsTokens)] : []),
    ...(isLimited("tokens") && !knowsTokens ? [TOKENS_PROBLEM] : []),
  ];
}

const TOKENS_PROBLEM: BackendProblem = {
  message: "its backend never tells how many tokens it used, so a limit on tokens cannot be kept",
  hint: "limit turns or wallClock instead",
};

function costProblem({ model }: AgentSpec, knowsTokens: boolean): BackendProblem {
  const message = "its backend never tells what a turn cost, so a limit on cost cannot be kept";
  if (!knowsTokens) return { message, hint: "limit turns or wallClock instead" };
  const what =
    model === undefined ? "name its model, and set its price" : `set the price of "${model}"`;
  return { message, hint: `${what} under prices in the configuration, or limit tokens instead` };
}

function stepBudgets(agent: string, steps: readonly StepSpec[]): readonly (Budget | undefined)[] {
  return steps
    .filter((step) => [step.agent, ...step.fallback, step.escalateTo].includes(agent))
    .map((step) => step.budget);
}
