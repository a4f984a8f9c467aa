import type { RunRuntime } from "../../engine/run-runtime.ts";
import { holderOf, meterUses, type OwnedBudget, toldKey } from "../../fold/state/budget-reading.ts";
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
