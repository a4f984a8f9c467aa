import type { ChildUse } from "../../contracts/budget.ts";
import type { RunRuntime } from "../../engine/run-runtime.ts";
import { holderOf, meterUses, type OwnedBudget, toldKey } from "../../fold/state/budget-reading.ts";
import type { BudgetUse } from "../../fold/state/budget-state.ts";
import type { ChildState } from "../../fold/state/child-state.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { stepsAroundChild } from "../../fold/state/steps-around.ts";
import type { TroupeError } from "../../foundation/errors.ts";
import { limitReached } from "./errors.ts";
import { budgetOfRun, budgetsOfSteps, type StepBudgets } from "./turn-budgets.ts";

/** A child run and the operation that wants it. */
export type ChildName = Pick<ChildState, "child" | "op">;

/** The ids of the steps of a run that wait for a child of it. */
export function stepsOver({ children }: RunState, { child, op }: ChildName): readonly string[] {
  const known = children.get(op);
  return known?.child === child ? stepsAroundChild(known) : [];
}

/** The budgets of a run that count what is in and below a child of it: the run's own, and those of the steps that wait for it. */
export function budgetsOver(
  state: RunState,
  budgets: StepBudgets,
  name: ChildName,
): readonly OwnedBudget[] {
  return [...budgetOfRun(state), ...budgetsOfSteps(budgets, stepsOver(state, name))];
}

/** The limit of a step that waits for a child, when turns in or below the child found no room there. */
export function limitMetBy(
  { state, run }: RunRuntime,
  budgets: StepBudgets,
  name: ChildName,
): TroupeError | undefined {
  const { child } = name;
  for (const owned of budgetsOfSteps(budgets, stepsOver(state, name))) {
    const owner = holderOf(owned);
    for (const { meter, limit } of meterUses(state, owned)) {
      const key = toldKey({ ...owner, child }, meter, "exceeded");
      if (state.budget.told.get(key) === limit) return limitReached(meter, { run, owner, limit });
    }
  }
  return undefined;
}

/** What a run has consumed with all runs below it, as the run above is told. */
export function useOfRun({ budget: { run } }: RunState): ChildUse {
  const { cost, tokens, turns, messages, agents, handoffs, workedMs, isEstimate }: BudgetUse = run;
  return { cost, tokens, turns, messages, agents, handoffs, workedMs, isEstimate };
}

/** Whether a run above has been told this already; what was never told is nothing. */
export function isTold(told: ChildUse | undefined, use: ChildUse): boolean {
  const {
    cost = 0,
    tokens = 0,
    turns = 0,
    messages = 0,
    agents = 0,
    handoffs = 0,
    workedMs = 0,
    isEstimate = false,
  } = told ?? {};
  return (
    cost === use.cost &&
    tokens === use.tokens &&
    turns === use.turns &&
    messages === use.messages &&
    agents === use.agents &&
    handoffs === (use.handoffs ?? 0) &&
    workedMs === use.workedMs &&
    isEstimate === use.isEstimate
  );
}
