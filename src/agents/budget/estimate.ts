import type { Metering } from "../../contracts/backend.ts";
import type { TurnAmounts } from "../../contracts/budget.ts";
import type { BudgetState } from "../../fold/state/budget-state.ts";
import type { TurnBudget } from "./admission.ts";

/** Share of a limit that is set aside for a turn when nothing like it has been measured: ten may start at once. */
const FIRST_SHARE = 0.1;

/** Whose turn is to be estimated. */
export interface EstimatedTurn {
  readonly agent: string;
  readonly backend: string;
  readonly metering: Metering | undefined;
}

/**
 * What a turn may take of the meters that are limited: the largest turn of its agent in this run, else of its
 * backend, else a tenth of the smallest limit. An agent that uses no model needs nothing of cost and tokens, as
 * long as it reports none.
 */
export function estimateTurn(
  { largest }: BudgetState,
  { agent, backend, metering }: EstimatedTurn,
  budgets: readonly TurnBudget[],
): TurnAmounts {
  const need = (meter: "cost" | "tokens") => {
    const limit = smallestLimit(budgets, meter);
    if (limit === undefined) return undefined;
    const own = largest.get(agent)?.[meter];
    if (metering === "free") return own;
    return own ?? largest.get(`backend:${backend}`)?.[meter] ?? limit * FIRST_SHARE;
  };
  const [cost, tokens] = [need("cost"), need("tokens")];
  return {
    ...(cost === undefined ? {} : { cost }),
    ...(tokens === undefined ? {} : { tokens }),
    turns: 1,
  };
}

function smallestLimit(
  budgets: readonly TurnBudget[],
  meter: "cost" | "tokens",
): number | undefined {
  const limits = budgets.flatMap(({ uses }) =>
    uses.flatMap((use) => (use.meter === meter ? [use.limit] : [])),
  );
  return limits.length === 0 ? undefined : Math.min(...limits);
}
