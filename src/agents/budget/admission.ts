import type { Metering } from "../../contracts/backend.ts";
import type { BudgetMeter, BudgetOwner, TurnAmounts } from "../../contracts/budget.ts";
import { isMore, isSpent, type MeterUse } from "../../fold/state/budget-reading.ts";
import type { BudgetState } from "../../fold/state/budget-state.ts";

// Decides whether a turn may start, from what is left. Pure: the same state gives the same answer.
// L1: no turn starts at a limit that is spent.
// L2: the reservations of turns that run side by side fit into what is left together, as far as they are
//     right: beyond a limit goes at most what each running turn takes more than it has reserved.
// L3: what is left can be used: a turn that does not fit waits only while another one may give something back.

/** A budget that a turn counts against. */
export interface TurnBudget {
  readonly owner: BudgetOwner;
  readonly uses: readonly MeterUse[];
  /** Whether another turn of this owner works, so that it may need less than it has set aside. */
  readonly mayGiveBack: boolean;
}

/** A limit that leaves no room. */
export interface ReachedLimit {
  readonly owner: BudgetOwner;
  readonly use: MeterUse;
}

export type Admission =
  | { readonly status: "granted"; readonly amounts: TurnAmounts }
  /** Others run that may leave room when they end. */
  | { readonly status: "waits" }
  | { readonly status: "refused"; readonly reached: ReachedLimit };

/** Whether there is room for a turn that may take `needs`; a meter that it does not need cannot stop it. */
export function admitTurn(budgets: readonly TurnBudget[], needs: TurnAmounts): Admission {
  for (const { owner, uses } of budgets) {
    const use = uses.map(withSureUse).find((each) => stops(owner, each, needs));
    if (use !== undefined) return { status: "refused", reached: { owner, use } };
  }
  const waits = budgets.some(
    ({ uses, mayGiveBack }) => mayGiveBack && uses.some((use) => isTight(use, needs)),
  );
  if (waits) return { status: "waits" };
  return { status: "granted", amounts: within(needs, budgets) };
}

/** That a turn is one turn is known before its end. */
function withSureUse(use: MeterUse): MeterUse {
  return use.meter === "turns" ? { ...use, spent: use.spent + use.reserved, reserved: 0 } : use;
}

function stops(owner: BudgetOwner, use: MeterUse, needs: TurnAmounts): boolean {
  // Spawning is what that limit stops.
  if (use.meter === "agents") return false;
  // The last hand-over has a receiver; whoever got the task beyond it begins no turn. Of an agent none counts beyond it.
  if (use.meter === "handoffs") return owner.of !== "agent" && use.spent > use.limit;
  return isSpent(use) && !(isGuessed(use.meter) && needs[use.meter] === undefined);
}

function isGuessed(meter: BudgetMeter): meter is "cost" | "tokens" {
  return meter === "cost" || meter === "tokens";
}

function isTight(use: MeterUse, needs: TurnAmounts): boolean {
  const need = isGuessed(use.meter) ? needs[use.meter] : undefined;
  return need !== undefined && isMore(need, roomIn(use));
}

/** A turn that has to do with less than it may need takes what is there. */
function within(needs: TurnAmounts, budgets: readonly TurnBudget[]): TurnAmounts {
  const least = (meter: "cost" | "tokens", need: number) =>
    Math.min(
      need,
      ...budgets.flatMap(({ uses }) => uses.filter((use) => use.meter === meter).map(roomIn)),
    );
  const { cost, tokens } = needs;
  return {
    ...(cost === undefined ? {} : { cost: least("cost", cost) }),
    ...(tokens === undefined ? {} : { tokens: least("tokens", tokens) }),
    turns: 1,
  };
}

function roomIn({ limit, spent, reserved }: MeterUse): number {
  return Math.max(0, limit - spent - reserved);
}

/** Share of a limit that is set aside for a turn when nothing like it has been measured: ten may start at once. */
const FIRST_SHARE = 0.1;

/** Whose turn is to be estimated. */
interface EstimatedTurn {
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
