import type { Metering } from "../../contracts/backend.ts";
import { limitOf, type TurnAmounts } from "../../contracts/budget.ts";
import { tokensOf, type Usage } from "../../contracts/usage.ts";
import type { RunRuntime } from "../../engine/run-runtime.ts";
import { holderOf, meterUses, type OwnedBudget, toldKey } from "../../fold/state/budget-reading.ts";
import { present } from "../../foundation/present.ts";

/** How a turn ended: by itself, cut off for good, or cut off to be started again. */
export type TurnEnding = "ended" | "cut" | "again";

/** A turn that is over, with what it had reserved and what it has told. */
export interface TurnToCount {
  readonly runtime: RunRuntime;
  readonly reservation: string;
  readonly agent: string;
  readonly turn: number;
  readonly step: string | undefined;
  readonly around: readonly string[];
  readonly metering: Metering | undefined;
  readonly budgets: readonly OwnedBudget[];
  readonly amounts: TurnAmounts;
  readonly ending: TurnEnding;
  readonly usage: Usage;
  readonly workedMs: number;
  /** Set where the turn is that of a run below this one. */
  readonly below?: { readonly child: string; readonly backend: string };
}

/** Journals what a turn is counted with. What it did not tell is taken to be what it had reserved. */
export function settleTurn(turn: TurnToCount): void {
  const { runtime, reservation, agent, step, around, ending, usage, workedMs, below } = turn;
  const cost = count(turn, turn.amounts.cost, usage.costUsd);
  const tokens = count(turn, turn.amounts.tokens, tokensOf(usage));
  const assumed = {
    ...(cost.assumed > 0 ? { cost: cost.assumed } : {}),
    ...(tokens.assumed > 0 ? { tokens: tokens.assumed } : {}),
  };
  runtime.append({
    type: "budget-settled",
    reservation,
    agent,
    turn: turn.turn,
    ...(step === undefined ? {} : { step }),
    ...(around.length === 0 ? {} : { around }),
    ...(below === undefined ? {} : { child: below.child, backend: below.backend }),
    amounts: {
      ...present({ cost: cost.total, tokens: tokens.total }),
      turns: ending === "again" ? 0 : 1,
    },
    ...(Object.keys(assumed).length === 0 ? {} : { assumed }),
    workedMs,
  });
  if (ending !== "ended") return;
  if (cost.assumed > 0) warnUnmeasured(turn, "cost");
  if (tokens.assumed > 0) warnUnmeasured(turn, "tokens");
}

interface Counted {
  readonly total: number | undefined;
  readonly assumed: number;
}

function count(
  { metering, ending }: TurnToCount,
  reserved: number | undefined,
  told: number | undefined,
): Counted {
  const isSure =
    metering === "exact" || metering === "free" || (ending === "ended" && told !== undefined);
  if (isSure) return { total: told ?? (reserved === undefined ? undefined : 0), assumed: 0 };
  const assumed = Math.max(0, (reserved ?? 0) - (told ?? 0));
  return {
    total: told === undefined && reserved === undefined ? undefined : (told ?? 0) + assumed,
    assumed,
  };
}

/** Says once per agent that a limit is kept by assumptions, because the agent's use is not known. */
function warnUnmeasured({ runtime, agent, budgets }: TurnToCount, meter: "cost" | "tokens"): void {
  const owned = budgets.find(({ budget }) => limitOf(budget, meter) !== undefined);
  if (owned === undefined) return;
  const at = { ...holderOf(owned), agent };
  const use = meterUses(runtime.state, owned).find((each) => each.meter === meter);
  if (use === undefined || runtime.state.budget.told.has(toldKey(at, meter, "unmeasured"))) return;
  const { limit, spent } = use;
  runtime.append({ type: "budget-warned", cause: "unmeasured", ...at, meter, limit, spent });
}

/**
 * Settles what a dead owner left open: nobody knows what those turns used. That of child runs stays set aside
 * until they tell what they have used in all.
 */
export function settleLeftOpen(runtime: RunRuntime): void {
  for (const reservation of [...runtime.state.budget.reservations.values()]) {
    const { id, agent, turn, step, around, amounts, child } = reservation;
    if (child !== undefined) continue;
    const { turns: _, ...assumed } = amounts;
    runtime.append({
      type: "budget-settled",
      reservation: id,
      agent,
      turn,
      ...(step === undefined ? {} : { step }),
      ...(around.length === 0 ? {} : { around }),
      amounts: { ...assumed, turns: 0 },
      ...(Object.keys(assumed).length === 0 ? {} : { assumed }),
      workedMs: 0,
    });
  }
}

/** Gives back what was set aside for turns in or below a child whose totals are known now, but for those that run. */
export function settleChild(
  runtime: RunRuntime,
  child: string,
  running: ReadonlySet<string> = new Set(),
): void {
  for (const { id, agent, turn, ...each } of [...runtime.state.budget.reservations.values()]) {
    if (each.child !== child || running.has(id)) continue;
    runtime.append({
      type: "budget-settled",
      ...{ reservation: id, child, agent, turn },
      amounts: { turns: 0 },
      workedMs: 0,
    });
  }
}
