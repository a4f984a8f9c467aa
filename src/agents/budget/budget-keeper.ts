import type { AgentSpec } from "../../contracts/agent.ts";
import type { Metering } from "../../contracts/backend.ts";
import type { BudgetMeter } from "../../contracts/budget.ts";
import type { Pricing } from "../../contracts/price.ts";
import type { RunRuntime } from "../../engine/run-runtime.ts";
import { findTurn } from "../../fold/agent-lookup.ts";
import {
  isCountedBy,
  isSpent,
  meterUses,
  type OwnedBudget,
  ownerOf,
} from "../../fold/budget-reading.ts";
import type { BudgetReservation } from "../../fold/state/budget-state.ts";
import { rejectOnAbort } from "../../foundation/abort.ts";
import type { TroupeError } from "../../foundation/errors.ts";
import { admit, type ReachedLimit, type TurnBudget } from "./admission.ts";
import { estimateTurn } from "./estimate.ts";
import { reachLimit } from "./reach-limit.ts";
import { watchRunClock } from "./run-clock.ts";
import { settleLeftOpen } from "./settle-turn.ts";
import { warnSoftLimits } from "./soft-warnings.ts";
import { TurnAllowance } from "./turn-allowance.ts";
import { budgetsAt, type StepBudgets } from "./turn-budgets.ts";

// Owns what may begin under the budgets of a run, its agents and its steps. What was spent and set aside is
// the fold's; what running turns have told so far, which no event says, is kept by their allowances.
// K1: `budget-reserved` is in the journal before its turn starts, `budget-settled` with the turn's end; what a
//     dead owner left open is settled by the next one, once, with what had been set aside.
// K2: from the first limit of the run that is reached, nothing begins any more in this process. Turns that
//     run go on, unless they go beyond a limit with more than they had reserved; then the run ends, resumable.
// K3: a limit of an agent or a step fails the turns that count against it, and nothing else.

/** What a keeper needs beside its run. */
export interface BudgetKeeperOptions {
  readonly steps: StepBudgets;
  readonly pricing: Pricing;
}

/** A turn that wants to start. */
export interface AskingTurn {
  readonly spec: AgentSpec;
  readonly metering: Metering | undefined;
  readonly turn: number;
  readonly attempt: number;
  /** Id of the step that it serves. */
  readonly step: string | undefined;
}

/** Whether a turn may start. `held`: not now; `whenChanged` tells when to ask again. */
export type TurnAdmission =
  | { readonly status: "granted"; readonly allowance: TurnAllowance }
  | { readonly status: "held" }
  | { readonly status: "refused"; readonly error: TroupeError };

/** After these a turn that was held may find room: somebody gave some back, or only waits for a person now. */
const CHANGES: ReadonlySet<string> = new Set([
  "budget-settled",
  "permission-requested",
  "question-asked",
]);

/** Keeps the budgets of one run while this process owns it. */
export class BudgetKeeper {
  readonly #runtime: RunRuntime;
  readonly #options: BudgetKeeperOptions;
  readonly #running = new Set<TurnAllowance>();
  readonly #waiting = new Set<() => void>();

  constructor(runtime: RunRuntime, options: BudgetKeeperOptions) {
    this.#runtime = runtime;
    this.#options = options;
    runtime.onLive(() => settleLeftOpen(runtime));
    warnSoftLimits(runtime, options.steps);
    watchRunClock(runtime);
    runtime.onAppended(({ type }) => {
      if (CHANGES.has(type)) for (const wake of this.#waiting) wake();
    });
  }

  /** Lets a turn start and sets aside what it may take, or says that it may not. */
  admit(asking: AskingTurn): TurnAdmission {
    const { state } = this.#runtime;
    if (state.budget.exceeded !== undefined) return { status: "held" };
    const { spec, metering, turn, step } = asking;
    const owned = budgetsAt(state, this.#options.steps, asking);
    const budgets = owned.map((each) => this.#toTurnBudget(each));
    const estimated = { agent: spec.id, backend: spec.backend, metering };
    const admission = admit(budgets, estimateTurn(state.budget, estimated, budgets));
    if (admission.status === "waits") return { status: "held" };
    if (admission.status === "refused") {
      const place = { agent: spec.id, turn, ...(step === undefined ? {} : { step }) };
      const { owner } = admission.reached;
      const error = reachLimit(this.#runtime, admission.reached, place);
      return owner.of === "run" ? { status: "held" } : { status: "refused", error };
    }
    const allowance = new TurnAllowance({
      ...asking,
      agent: spec.id,
      runtime: this.#runtime,
      budgets: owned,
      amounts: admission.amounts,
      price: this.#options.pricing(spec),
      running: this.#running,
    });
    return { status: "granted", allowance };
  }

  /** Resolves when a turn that was held may ask again; rejects with the signal's reason. */
  async whenChanged(signal: AbortSignal): Promise<void> {
    const aborted = rejectOnAbort(signal);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    try {
      await Promise.race([promise, aborted.promise]);
    } finally {
      this.#waiting.delete(resolve);
      aborted.stop();
    }
  }

  /** Whether an agent may be spawned now; else that is held until the run is resumed. Raises LIMIT_AGENTS. */
  maySpawn(spec: AgentSpec): boolean {
    const { state } = this.#runtime;
    if (state.budget.exceeded !== undefined) return false;
    const reached = this.#spentBy("agents", spec.spawnedBy);
    if (reached === undefined) return true;
    const error = reachLimit(this.#runtime, reached, { agent: spec.id });
    if (reached.owner.of === "run") return false;
    throw error;
  }

  /** Raises LIMIT_MESSAGES when no message is left for an agent. */
  assertMayPost(agent: string, turn: number): void {
    const reached = this.#spentBy("messages", agent);
    if (reached !== undefined) throw reachLimit(this.#runtime, reached, { agent, turn });
  }

  #spentBy(meter: BudgetMeter, agent: string | undefined): ReachedLimit | undefined {
    const { state } = this.#runtime;
    const spec = agent === undefined ? undefined : state.agents.get(agent)?.spec;
    for (const owned of budgetsAt(state, this.#options.steps, { spec, step: undefined })) {
      const use = meterUses(state, owned).find((each) => each.meter === meter);
      if (use !== undefined && isSpent(use)) return { owner: ownerOf(owned), use };
    }
    return undefined;
  }

  #toTurnBudget(owned: OwnedBudget): TurnBudget {
    const { state } = this.#runtime;
    const open = [...state.budget.reservations.values()].filter((each) => isCountedBy(each, owned));
    const told = new Map([...this.#running].map((each) => [each.reservation, each.amounts]));
    const counted = open.map((each) => ({ ...each, amounts: told.get(each.id) ?? each.amounts }));
    const mayGiveBack = open.some((each) => this.#works(each));
    return { owner: ownerOf(owned), uses: meterUses(state, owned, counted), mayGiveBack };
  }

  /** A turn that waits for a person gives nothing back until that person comes. */
  #works({ agent, turn }: BudgetReservation): boolean {
    const running = findTurn(this.#runtime.state, agent, turn);
    return running === undefined || running.asks.size === 0;
  }
}
