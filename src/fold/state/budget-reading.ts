import {
  BUDGET_METERS,
  type Budget,
  type BudgetMeter,
  type BudgetOwner,
  limitOf,
} from "../../contracts/budget.ts";
import type { EventOf } from "../../contracts/events/event.ts";
import { isRecord } from "../../foundation/json.ts";
import { type BudgetReservation, type BudgetUse, createBudgetUse } from "./budget-state.ts";
import type { RunState } from "./run-state.ts";

/** How far one limit is used. Of `wallClock` in ms, of `cost` in USD. */
export interface MeterUse {
  readonly meter: BudgetMeter;
  readonly limit: number;
  readonly spent: number;
  /** Set aside for turns that have not ended; 0 for what is not reserved. */
  readonly reserved: number;
  /** Whether a part of `spent` was assumed, because nobody reported it. */
  readonly isEstimate: boolean;
}

/** A budget and whose it is. */
export type OwnedBudget = BudgetOwner & { readonly budget: Budget };

/** Whose budget it is, without the budget. */
export function holderOf(owned: BudgetOwner): BudgetOwner {
  switch (owned.of) {
    case "run":
      return { of: "run" };
    case "agent":
      return { of: "agent", agent: owned.agent };
    case "step":
      return { of: "step", step: owned.step };
  }
}

/** The limits of the run itself with what was spent of each; empty without a budget. */
export function runBudget(state: RunState): readonly MeterUse[] {
  return meterUses(state, { of: "run", budget: state.run.limits.budget ?? {} });
}

/** The limits of a budget with what its owner has spent of each. */
export function meterUses(
  state: RunState,
  owned: OwnedBudget,
  reservations: Iterable<BudgetReservation> = state.budget.reservations.values(),
): readonly MeterUse[] {
  const use = useOf(state, owned);
  const own = [...reservations].filter((reservation) => isCountedBy(reservation, owned));
  return BUDGET_METERS.flatMap((meter) => {
    const limit = limitOf(owned.budget, meter);
    if (limit === undefined) return [];
    const spent = spentOf(state, owned, { use, meter });
    const isEstimate = use.isEstimate && (meter === "cost" || meter === "tokens");
    return [{ meter, limit, spent, reserved: reservedOf(own, meter), isEstimate }];
  });
}

// Sums of prices such as 0.1 are off by less than this.
const TOLERANCE = 1e-9;

/** Whether all of a limit is spent, or the share of it that is given. */
export function isSpent({ spent, limit }: Pick<MeterUse, "spent" | "limit">, share = 1): boolean {
  return spent >= limit * share - TOLERANCE;
}

/** Whether an amount is more than a limit or a room leaves. */
export function isMore(amount: number, room: number): boolean {
  return amount > room + TOLERANCE;
}

/** Whether a turn counts against the budgets of this owner. */
export function isCountedBy(
  reservation: Pick<BudgetReservation, "agent" | "above" | "step" | "around" | "child">,
  owner: BudgetOwner,
): boolean {
  const { agent, above, step, around, child } = reservation;
  // Agents and steps of child runs have names of their own.
  const isOwn = child === undefined;
  switch (owner.of) {
    case "run":
      return true;
    case "agent":
      return isOwn && (agent === owner.agent || above.includes(owner.agent));
    case "step":
      return (isOwn && step === owner.step) || around.includes(owner.step);
  }
}

/** Who hands a task over with a move of its pattern; undefined for all other moves. */
export function handsOver({
  kind,
  data,
}: Pick<EventOf<"pattern-advanced">, "kind" | "data">): string | undefined {
  if (kind !== "handoff") return undefined;
  const from = isRecord(data) ? data["from"] : undefined;
  return typeof from === "string" ? from : "";
}

/** Whether a call has let an agent take part, for the first time or again. */
export function hasSpawned({
  operation,
  error,
}: Pick<EventOf<"collab-ended">, "operation" | "error">): boolean {
  return error === undefined && (operation === "spawn" || operation === "resume");
}

/** Why a limit was told. */
export type ToldCause = EventOf<"budget-warned">["cause"] | "exceeded";

/** Names what is told of a limit, so that it is told once; of a step, once for each child run that meets it. */
export function toldKey(
  {
    of,
    agent,
    step,
    child,
  }: {
    readonly of: BudgetOwner["of"];
    readonly agent?: string | undefined;
    readonly step?: string | undefined;
    readonly child?: string | undefined;
  },
  meter: BudgetMeter,
  cause: ToldCause,
): string {
  return JSON.stringify([of, agent ?? null, step ?? null, child ?? null, meter, cause]);
}

function useOf({ budget }: RunState, owner: BudgetOwner): BudgetUse {
  switch (owner.of) {
    case "run":
      return budget.run;
    case "agent":
      return budget.agents.get(owner.agent) ?? createBudgetUse();
    case "step":
      return budget.steps.get(owner.step) ?? createBudgetUse();
  }
}

function spentOf(
  { runningTime }: RunState,
  { of }: BudgetOwner,
  { use, meter }: { readonly use: BudgetUse; readonly meter: BudgetMeter },
): number {
  if (meter !== "wallClock") return use[meter];
  return of === "run" ? runningTime.totalMs : use.workedMs;
}

function reservedOf(reservations: readonly BudgetReservation[], meter: BudgetMeter): number {
  if (meter !== "cost" && meter !== "tokens" && meter !== "turns") return 0;
  return reservations.reduce((sum, { amounts }) => sum + (amounts[meter] ?? 0), 0);
}
