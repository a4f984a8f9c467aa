import type { Metering } from "../../contracts/backend.ts";
import { softShareOf, type TurnAmounts } from "../../contracts/budget.ts";
import { amountText, ownerText, useText } from "../../contracts/budget-words.ts";
import { type ModelPrice, withPrice } from "../../contracts/price.ts";
import { tokensOf, type Usage } from "../../contracts/usage.ts";
import type { RunRuntime } from "../../engine/run-runtime.ts";
import { ancestorsOf, findTurn } from "../../fold/state/agent-lookup.ts";
import {
  holderOf,
  isCountedBy,
  isMore,
  isSpent,
  type MeterUse,
  meterUses,
  type OwnedBudget,
} from "../../fold/state/budget-reading.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import type { TroupeError } from "../../foundation/errors.ts";
import type { ReachedLimit } from "./admission.ts";
import { reachLimit } from "./reach-limit.ts";
import { settleTurn, type TurnEnding } from "./settle-turn.ts";

/** Everything that an allowance is made from. */
export interface TurnAllowanceParts {
  readonly runtime: RunRuntime;
  readonly agent: string;
  readonly turn: number;
  readonly attempt: number;
  readonly step: string | undefined;
  /** The steps of the allowance's run around that step, or around the child that the turn is below. */
  readonly around: readonly string[];
  readonly metering: Metering | undefined;
  readonly budgets: readonly OwnedBudget[];
  readonly amounts: TurnAmounts;
  /** Of the agent's model. */
  readonly price: ModelPrice | undefined;
  /** The turns that run; this one is among them until it is settled. */
  readonly running: Set<TurnAllowance>;
  /** Set where the turn is that of a run below this one. */
  readonly below?: TurnBelow;
  /** What the turn may take of the budgets of the run above this one. */
  readonly above?: TurnAllowance;
}

/** Where a turn is that counts against the budget of a run above its own. */
export interface TurnBelow {
  /** The run of the turn. */
  readonly run: string;
  /** The child through which it is below; the same one, or between the two. */
  readonly child: string;
  readonly backend: string;
  /** Whether the turn does not wait for a person. */
  readonly works: () => boolean;
}

/** Why a budget ends a turn: one of its agent or step, then it has failed; or of the run, then it starts again later. */
export type BudgetStop =
  | { readonly kind: "over-budget"; readonly error: TroupeError }
  | { readonly kind: "out-of-budget" };

/** The time that budgets leave a turn, and what its end means. */
export interface TimeLeft {
  readonly leftMs: number;
  /** To be called when the time is over; journals that. */
  readonly stop: () => BudgetStop;
}

/** What one turn that is about to start may take. Making it journals that; `settle` must follow. */
export class TurnAllowance {
  readonly #parts: TurnAllowanceParts;
  readonly #isJournaled: boolean;
  #told: Usage = {};
  #overrun: ReachedLimit | undefined;

  constructor(parts: TurnAllowanceParts) {
    const { runtime, agent, turn, step, around, budgets, amounts, running, below, above } = parts;
    this.#parts = parts;
    // Whatever is set aside above has to be accounted for here: the run above counts what this one tells.
    this.#isJournaled = budgets.some(isPerTurn) || above?.isJournaled === true;
    if (!this.#isJournaled) return;
    const at = { reservation: this.reservation, agent, turn, amounts };
    runtime.append({
      type: "budget-reserved",
      ...at,
      ...(step === undefined ? {} : { step }),
      ...(around.length === 0 ? {} : { around }),
      ...(below === undefined ? {} : { child: below.child }),
    });
    running.add(this);
  }

  get reservation(): string {
    const { agent, turn, attempt, below } = this.#parts;
    return `${below === undefined ? "" : `${below.run}:`}${agent}#${turn}@${attempt}`;
  }

  /** Whether it is set aside in the journal. */
  get isJournaled(): boolean {
    return this.#isJournaled;
  }

  /** Whether the turn may end without a person. */
  get works(): boolean {
    const { below, runtime, agent, turn } = this.#parts;
    if (below !== undefined) return below.works();
    return (findTurn(runtime.state, agent, turn)?.asks.size ?? 0) === 0;
  }

  /** What the agent is to be told of limits that are nearly reached. */
  get notice(): string | undefined {
    const { runtime, budgets, above } = this.#parts;
    const lines = [above?.notice, budgetNotice(runtime.state, budgets)];
    return lines.filter((line) => line !== undefined).join("\n") || undefined;
  }

  /** What was set aside for the turn. */
  get granted(): TurnAmounts {
    return this.#parts.amounts;
  }

  /** What the turn counts with while it runs: its reservation, or more if it has told more. */
  get amounts(): TurnAmounts {
    const { cost = 0, tokens = 0 } = this.#parts.amounts;
    return {
      cost: Math.max(cost, this.#told.costUsd ?? 0),
      tokens: Math.max(tokens, tokensOf(this.#told) ?? 0),
      turns: 1,
    };
  }

  /**
   * Why the turn must not go on, if it has gone beyond a limit by taking more than it had reserved; journals
   * that. To be asked only when the turn goes on: what ends in the same moment is not thrown away.
   */
  stopBeyond(): BudgetStop | undefined {
    if (this.#overrun !== undefined) return this.#stopAt(this.#overrun);
    return this.#parts.above?.stopBeyond();
  }

  /** The usage with what its tokens cost, if the backend did not say and the price of the model is known. */
  priced(usage: Usage): Usage {
    return withPrice(usage, this.#parts.price);
  }

  /** The least time that a budget of its agent, its step or a step around that leaves. */
  get timeLeft(): TimeLeft | undefined {
    const { runtime, budgets, above } = this.#parts;
    const limits = budgets.flatMap((owned) =>
      owned.of === "run"
        ? []
        : meterUses(runtime.state, owned).flatMap((use): readonly TimeLeft[] => {
            if (use.meter !== "wallClock") return [];
            const reached = { owner: holderOf(owned), use: { ...use, spent: use.limit } };
            return [{ leftMs: use.limit - use.spent, stop: () => this.#stopAt(reached) }];
          }),
    );
    const all = above?.timeLeft === undefined ? limits : [...limits, above.timeLeft];
    return all.toSorted((left, right) => left.leftMs - right.leftMs)[0];
  }

  /** Takes in what the turn has used so far, all together. */
  take(usage: Usage): void {
    this.#told = usage;
    this.#overrun ??= this.#findOverrun();
    this.#parts.above?.take(usage);
  }

  /** Journals what the turn is counted with; right before the event that ends the turn. */
  settle(ending: TurnEnding, usage: Usage, workedMs: number): void {
    if (!this.#isJournaled) return;
    this.#parts.running.delete(this);
    settleTurn({ ...this.#parts, reservation: this.reservation, ending, usage, workedMs });
    this.#parts.above?.settle(ending, usage, workedMs);
  }

  #stopAt(reached: ReachedLimit): BudgetStop {
    const { runtime, agent, turn, step, below } = this.#parts;
    const place = {
      agent,
      turn,
      ...(step === undefined ? {} : { step }),
      ...(below === undefined ? {} : { child: below.child }),
    };
    const error = reachLimit(runtime, reached, place);
    return reached.owner.of === "run" ? { kind: "out-of-budget" } : { kind: "over-budget", error };
  }

  #isCountedBy(owned: OwnedBudget): boolean {
    const { runtime, agent, step, around, below } = this.#parts;
    const spec = runtime.state.agents.get(agent)?.spec;
    const above = spec === undefined ? [] : ancestorsOf(runtime.state, spec);
    return isCountedBy({ agent, above, step, around, child: below?.child }, owned);
  }

  #findOverrun(): ReachedLimit | undefined {
    const { runtime, budgets, amounts, running } = this.#parts;
    for (const owned of budgets) {
      const turns = [...running].filter((each) => each.#isCountedBy(owned));
      for (const use of meterUses(runtime.state, owned)) {
        const { meter } = use;
        if (meter !== "cost" && meter !== "tokens") continue;
        if (!isMore(toldOf(this.#told, meter), amounts[meter] ?? 0)) continue;
        const spent = turns.reduce((sum, each) => sum + toldOf(each.#told, meter), use.spent);
        if (isMore(spent, use.limit)) return { owner: holderOf(owned), use: { ...use, spent } };
      }
    }
    return undefined;
  }
}

/** Whether turns reserve a part of a budget; the time of the run is nobody's own. */
function isPerTurn({ of, budget }: OwnedBudget): boolean {
  const { cost, tokens, turns, wallClockMs } = budget;
  const isTimed = of !== "run" && wallClockMs !== undefined;
  return cost !== undefined || tokens !== undefined || turns !== undefined || isTimed;
}

function toldOf(usage: Usage, meter: "cost" | "tokens"): number {
  return (meter === "cost" ? usage.costUsd : tokensOf(usage)) ?? 0;
}

/** The limits that are nearly reached, in order; how many agents a run has, those of its file among them, is no matter of haste. */
export function softReached(state: RunState, owned: OwnedBudget): readonly MeterUse[] {
  const share = softShareOf(owned.budget);
  const isOfFile = ({ meter }: MeterUse) => meter === "agents" && owned.of === "run";
  return meterUses(state, owned).filter((use) => !isOfFile(use) && isSpent(use, share));
}

/** What an agent is told of limits that are nearly reached, a line each; undefined when none is. */
function budgetNotice(state: RunState, budgets: readonly OwnedBudget[]): string | undefined {
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
