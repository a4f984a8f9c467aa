import type { BudgetMeter, BudgetOwner, TurnAmounts } from "../budget.ts";

/** A turn that is about to start has its part of the budgets; durable before the backend sees the turn. */
export interface BudgetReserved {
  readonly type: "budget-reserved";
  /** `<agent>#<turn>@<attempt>`, unique in the run. */
  readonly reservation: string;
  readonly agent: string;
  readonly turn: number;
  /** Id of the step that the turn serves, if any. */
  readonly step?: string;
  readonly amounts: TurnAmounts;
}

/** The one end of a reservation: what the turn is counted with. */
export interface BudgetSettled {
  readonly type: "budget-settled";
  readonly reservation: string;
  readonly agent: string;
  readonly turn: number;
  readonly step?: string;
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
}

export type BudgetEvent = BudgetReserved | BudgetSettled | BudgetWarned | BudgetExceeded;
