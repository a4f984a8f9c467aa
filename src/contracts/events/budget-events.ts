import type { BudgetMeter, BudgetOwner, TurnAmounts } from "../budget.ts";

/** A turn that is about to start has its part of the budgets; durable before the backend sees the turn. */
export interface BudgetReserved {
  readonly type: "budget-reserved";
  /** `<agent>#<turn>@<attempt>`, unique in the run; `<run id>:` before it for a turn of a run below this one. */
  readonly reservation: string;
  /** The child run in which, or below which, the turn is. */
  readonly child?: string;
  readonly agent: string;
  readonly turn: number;
  /** Id of the step that the turn serves, if any. */
  readonly step?: string;
  /** Ids of the steps of this run around that step, outermost first, or around the child and with the one that wanted it. */
  readonly around?: readonly string[];
  readonly amounts: TurnAmounts;
}

/** The one end of a reservation: what the turn is counted with. That of a child counts by `child-spent`. */
export interface BudgetSettled {
  readonly type: "budget-settled";
  readonly reservation: string;
  readonly child?: string;
  /** Of a turn of a child. */
  readonly backend?: string;
  readonly agent: string;
  readonly turn: number;
  readonly step?: string;
  readonly around?: readonly string[];
  /** `turns` is 0 when the turn is to be started again. */
  readonly amounts: TurnAmounts;
  /** The part of the amounts that nobody reported: the turn was cut off, or its backend did not tell. */
  readonly assumed?: TurnAmounts;
  /** Time of the turn in ms, without waiting for people; 0 when its owner died. */
  readonly workedMs: number;
}

interface LimitTold {
  /** Whose limit it is; `agent` or `step` then names the owner. */
  readonly of: BudgetOwner["of"];
  readonly meter: BudgetMeter;
  /** Of `wallClock` in ms, of `cost` in USD. */
  readonly limit: number;
  readonly spent: number;
  readonly agent?: string;
  readonly step?: string;
  /** The child run in which it was met. */
  readonly child?: string;
}

/** A limit comes near (`soft`), or what an agent consumes is not known and is assumed (`unmeasured`). */
export interface BudgetWarned extends LimitTold {
  readonly type: "budget-warned";
  readonly cause: "soft" | "unmeasured";
}

/** A limit is reached: of the run, no turn starts any more; of an agent or a step, its turns fail. */
export interface BudgetExceeded extends LimitTold {
  readonly type: "budget-exceeded";
  /** The turn of `agent` that had no room any more, or that went beyond. */
  readonly turn?: number;
  /** Whether the limit is that of `child` itself, which stops this run with it. */
  readonly isOfChild?: true;
}

export type BudgetEvent = BudgetReserved | BudgetSettled | BudgetWarned | BudgetExceeded;
