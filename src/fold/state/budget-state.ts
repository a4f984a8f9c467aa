import type { BudgetMeter, ChildUse, TurnAmounts } from "../../contracts/budget.ts";

/** What a run, an agent or a step has consumed so far. */
export interface BudgetUse {
  /** USD; turns whose cost is not known count with what was assumed for them, if anything was. */
  cost: number;
  tokens: number;
  /** Turns that ended for good. */
  turns: number;
  /** Messages of agents. */
  messages: number;
  agents: number;
  /** Hand-overs; of an agent, those that it has made. */
  handoffs: number;
  /** Time of turns in ms, as far as it was measured. */
  workedMs: number;
  /** Whether a part of cost or tokens was assumed. */
  isEstimate: boolean;
}

/** What a turn that has not ended may consume. */
export interface BudgetReservation {
  readonly id: string;
  /** The child run in which, or below which, the turn is. */
  readonly child: string | undefined;
  readonly agent: string;
  /** Ids of the agents above that one. */
  readonly above: readonly string[];
  readonly turn: number;
  readonly step: string | undefined;
  /** Ids of the steps around it. */
  readonly around: readonly string[];
  readonly amounts: TurnAmounts;
}

/** The limit of the run that stopped it. */
export interface ExceededLimit {
  readonly meter: BudgetMeter;
  readonly limit: number;
  readonly spent: number;
  readonly agent: string | undefined;
  readonly step: string | undefined;
  readonly turn: number | undefined;
  /** The child run in which it was met. */
  readonly child: string | undefined;
  /** Whether it is that child's own. */
  readonly isOfChild: boolean;
}

/** What was consumed, by whom, and what is set aside. Limits are those of the run, of agents and of the definition. */
export interface BudgetState {
  readonly run: BudgetUse;
  /** By id. */
  readonly agents: Map<string, BudgetUse>;
  /** By id of the step, all its executions and attempts together, with what is inside of it and the runs that it starts. */
  readonly steps: Map<string, BudgetUse>;
  /** By id of the child; part of `run` and of the steps around the child. */
  readonly children: Map<string, ChildUse>;
  /** Reservations of turns that have not ended, by id. */
  readonly reservations: Map<string, BudgetReservation>;
  /** The largest measured turn of each agent, and of each backend under `backend:NAME`. */
  readonly largest: Map<string, TurnAmounts>;
  /** The limits that were told, by what `toldKey` names. */
  readonly told: Map<string, number>;
  /** Set while a limit of the run holds back its turns. */
  exceeded: ExceededLimit | undefined;
}

/** Nothing consumed. */
export function createBudgetUse(): BudgetUse {
  return {
    cost: 0,
    tokens: 0,
    turns: 0,
    messages: 0,
    agents: 0,
    handoffs: 0,
    workedMs: 0,
    isEstimate: false,
  };
}

/** The budgets of a run before its first event. */
export function createBudgetState(): BudgetState {
  return {
    run: createBudgetUse(),
    agents: new Map(),
    steps: new Map(),
    children: new Map(),
    reservations: new Map(),
    largest: new Map(),
    told: new Map(),
    exceeded: undefined,
  };
}
