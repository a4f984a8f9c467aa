import { softShareOf } from "../../contracts/budget.ts";
import { amountText, ownerText, useText } from "../../contracts/budget-words.ts";
import {
  isSpent,
  type MeterUse,
  meterUses,
  type OwnedBudget,
} from "../../fold/state/budget-reading.ts";
import type { RunState } from "../../fold/state/run-state.ts";

/** The limits that are nearly reached, in order; how many agents there are is no matter of haste. */
export function softReached(state: RunState, owned: OwnedBudget): readonly MeterUse[] {
  const share = softShareOf(owned.budget);
  return meterUses(state, owned).filter((use) => use.meter !== "agents" && isSpent(use, share));
}

/** What an agent is told of limits that are nearly reached, a line each; undefined when none is. */
export function budgetNotice(state: RunState, budgets: readonly OwnedBudget[]): string | undefined {
  const lines = budgets.flatMap((owned) =>
    softReached(state, owned).map((use) => `[budget] ${ownerText(owned)}: ${lineOf(use)}`),
  );
  return lines.length === 0 ? undefined : lines.join("\n");
}

function lineOf({ meter, limit, spent }: MeterUse): string {
  const left = amountText(meter, Math.max(0, limit - spent));
  const used = useText(meter, { spent, limit });
  return `${used} used, ${left} left. Do what matters most first, and come to an end.`;
}
