import type { AgentSpec } from "../../contracts/agent.ts";
import type { Budget } from "../../contracts/budget.ts";
import type { OwnedBudget } from "../../fold/budget-reading.ts";
import type { RunState } from "../../fold/run-state.ts";

/** Budgets of steps, by id. */
export type StepBudgets = ReadonlyMap<string, Budget>;

/** Who begins something: an agent, and the step that it serves. */
export interface BudgetPlace {
  readonly spec: AgentSpec | undefined;
  readonly step: string | undefined;
}

/** The budgets that something counts against, the run's first. */
export function budgetsAt(
  state: RunState,
  steps: StepBudgets,
  { spec, step }: BudgetPlace,
): readonly OwnedBudget[] {
  return [...budgetOfRun(state), ...budgetOfAgent(spec), ...budgetOfStep(steps, step)];
}

/** The budget of the run itself, if it has one. */
export function budgetOfRun({ run }: RunState): readonly OwnedBudget[] {
  const { budget } = run.limits;
  return budget === undefined ? [] : [{ of: "run", budget }];
}

/** The budget of an agent, if it has one. */
export function budgetOfAgent(spec: AgentSpec | undefined): readonly OwnedBudget[] {
  return spec?.budget === undefined ? [] : [{ of: "agent", agent: spec.id, budget: spec.budget }];
}

function budgetOfStep(steps: StepBudgets, step: string | undefined): readonly OwnedBudget[] {
  const budget = step === undefined ? undefined : steps.get(step);
  return step === undefined || budget === undefined ? [] : [{ of: "step", step, budget }];
}
