import type { ChildUse } from "../../contracts/budget.ts";
import type { BudgetUse } from "../../fold/state/budget-state.ts";
import type { RunState } from "../../fold/state/run-state.ts";

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
