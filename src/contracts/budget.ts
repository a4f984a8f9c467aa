/** Bounds of what a run, an agent or a step may consume; absent members do not limit. All are above 0. */
export interface Budget {
  /** USD. */
  readonly cost?: number;
  /** Input and output together, cached input included. */
  readonly tokens?: number;
  readonly turns?: number;
  /** Messages that agents post. Not for steps. */
  readonly messages?: number;
  /** Agents that are spawned; of an agent, those that it spawns. Not for steps. */
  readonly agents?: number;
  /** Of a run, its running time; of an agent or a step, the time of its turns without waiting for people. */
  readonly wallClockMs?: number;
  /** Share of each limit from which on agents and people are warned. Defaults to 0.8. */
  readonly soft?: number;
}

/** What a budget counts, in the order in which it is told. */
export const BUDGET_METERS = [
  "cost",
  "tokens",
  "turns",
  "messages",
  "agents",
  "wallClock",
] as const satisfies readonly string[];

/** One thing that a budget counts. */
export type BudgetMeter = (typeof BUDGET_METERS)[number];

/** Whose budget is meant. */
export type BudgetOwner =
  | { readonly of: "run" }
  | { readonly of: "agent"; readonly agent: string }
  | { readonly of: "step"; readonly step: string };

/** What one turn takes out of budgets; absent members are not limited there. */
export interface TurnAmounts {
  /** USD. */
  readonly cost?: number;
  readonly tokens?: number;
  readonly turns?: number;
}

const DEFAULT_SOFT = 0.8;

/** The limit that a budget sets for a meter; of `wallClock` in ms. */
export function limitOf(budget: Budget, meter: BudgetMeter): number | undefined {
  return meter === "wallClock" ? budget.wallClockMs : budget[meter];
}

/** The share of each limit from which on it is warned of. */
export function softShareOf({ soft = DEFAULT_SOFT }: Budget): number {
  return soft;
}
