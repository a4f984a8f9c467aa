/** Bounds of what a run, an agent or a step may consume; absent members do not limit. All are above 0. */
export interface Budget {
  /** USD. */
  readonly cost?: number;
  /** Input and output together, cached input included. */
  readonly tokens?: number;
  readonly turns?: number;
  /** Messages that agents post; of a step, in the turns that serve it. */
  readonly messages?: number;
  /** Agents that are spawned; of an agent or a step, those that it or its turns ask for. */
  readonly agents?: number;
  /** Hand-overs of a task; of an agent, those that it makes. */
  readonly handoffs?: number;
  /** Of a run, its running time; of an agent or a step, the time of its turns without waiting for people. */
  readonly wallClockMs?: number;
  /** Of a run only: turns of one agent, or with one task, that may fail in a row. Defaults to 5. */
  readonly failures?: number;
  /** Share of each limit from which on agents and people are warned. Defaults to 0.8. */
  readonly soft?: number;
}

/** Turns that may fail in a row, of one agent or with one task, where nothing says how many. */
export const DEFAULT_MAX_FAILURES = 5;

/** What a budget counts, in the order in which it is told. */
export const BUDGET_METERS = [
  "cost",
  "tokens",
  "turns",
  "messages",
  "agents",
  "handoffs",
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

/** What a child run and the runs below it have consumed. */
export interface ChildUse {
  /** USD; turns whose cost is not known count with what was assumed for them. */
  readonly cost: number;
  readonly tokens: number;
  readonly turns: number;
  readonly messages: number;
  readonly agents: number;
  /** Absent in journals of earlier versions. */
  readonly handoffs?: number;
  /** Time of turns in ms, without waiting for people, as far as it was measured. */
  readonly workedMs: number;
  /** Whether a part of cost or tokens was assumed. */
  readonly isEstimate: boolean;
}

/** The larger of two amounts of cost and of tokens, each for itself. */
export function largerAmounts(left: TurnAmounts, right: TurnAmounts): TurnAmounts {
  const cost = most(left.cost, right.cost);
  const tokens = most(left.tokens, right.tokens);
  return { ...(cost === undefined ? {} : { cost }), ...(tokens === undefined ? {} : { tokens }) };
}

function most(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined ? right : Math.max(left, right ?? 0);
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
