import type { AgentSpec } from "../../contracts/agent.ts";
import { type ChildUse, largerAmounts } from "../../contracts/budget.ts";
import { type Pricing, withPrice } from "../../contracts/price.ts";
import type { Usage } from "../../contracts/usage.ts";
import type { RunRuntime } from "../../engine/run-runtime.ts";
import { findAgent, findTurn } from "../../fold/state/agent-lookup.ts";
import type { OwnedBudget } from "../../fold/state/budget-reading.ts";
import type { ExceededLimit } from "../../fold/state/budget-state.ts";
import { stepsAround } from "../../fold/state/steps-around.ts";
import { rejectOnAbort } from "../../foundation/abort.ts";
import { type ErrorReport, type TroupeError, toErrorReport } from "../../foundation/errors.ts";
import { admitTurn, estimateTurn } from "./admission.ts";
import {
  budgetsOver,
  type ChildName,
  isTold,
  limitMetBy,
  stepsOver,
  useOfRun,
} from "./child-budgets.ts";
import type { DayBudget } from "./day-budget.ts";
import { DeedLimits } from "./deed-limits.ts";
import { limitDay } from "./errors.ts";
import { FailureBrake } from "./failure-brake.ts";
import { reachLimit, watchRunClock } from "./reach-limit.ts";
import { settleChild, settleLeftOpen } from "./settle-turn.ts";
import { warnSoftLimits } from "./soft-warnings.ts";
import { TurnAllowance } from "./turn-allowance.ts";
import {
  budgetsAt,
  type StepBudgets,
  type TurnAdmission,
  type TurnToAdmit,
  toTurnBudget,
} from "./turn-budgets.ts";

// Owns what may begin under the budgets of a run, its agents and its steps. What was spent and set aside is
// the fold's; what running turns have told so far, which no event says, is kept by their allowances.
// K1: `budget-reserved` is in the journal before its turn starts, `budget-settled` with the turn's end; what a
//     dead owner left open is settled by the next one, once, with what had been set aside.
// K2: from the first limit of the run that is reached, nothing begins any more in this process. Turns that
//     run go on, unless they go beyond a limit with more than they had reserved; then the run ends, resumable.
// K3: a limit of an agent or a step fails the turns that count against it, and nothing else. A turn counts against
//     its step, against every step around that, and against the steps that wait for its run in the runs above. That of
//     an agent that another one has spawned counts against the step for which it was given something to do.
// K4: the budget of a run or a step counts all runs below it. Their turns are set aside here as well before they start;
//     what they used counts by the totals that each child tells when a turn of it ends, when it is taken up
//     again, and at its end, so that nothing counts twice whenever an owner dies.
// K5: once the runs of a day have cost what they may, no turn that asks a model begins in this process any more; the
//     run at the top ends as soon as nothing works, resumable. Nothing of it is in the journal but the end: what a day
//     has cost is the sum of the journals.
// K6: the same holds from the moment on at which too many turns have failed in a row. A run below that has stopped for it
//     stops the runs above, whose agents would wait for it.

/** What a keeper needs beside its run. */
export interface BudgetKeeperOptions extends BudgetBasis {
  readonly steps: StepBudgets;
}

/** What the spending of a run is counted by. */
export interface BudgetBasis {
  /** What models cost, for backends that tell tokens only. */
  readonly pricing: Pricing;
  /** The keeper of the run that this one is a child of, if it is one. */
  readonly above: BudgetKeeper | undefined;
  /** What all runs of a day may cost, if that is limited; asked for the run at the top. */
  readonly day: DayBudget | undefined;
}

/** After these a turn that was held may find room: somebody gave some back, or only waits for a person now. */
const CHANGES: ReadonlySet<string> = new Set([
  "budget-settled",
  "child-spent",
  "permission-requested",
  "question-asked",
  "collab-began",
]);

/** After these the totals of a run are others. */
const USES: ReadonlySet<string> = new Set([
  "turn-completed",
  "turn-failed",
  "turn-interrupted",
  "child-spent",
  // Whoever gets the task asks next.
  "pattern-advanced",
]);

/** Keeps the budgets of one run while this process owns it. */
export class BudgetKeeper {
  readonly #runtime: RunRuntime;
  readonly #options: BudgetKeeperOptions;
  readonly #running = new Set<TurnAllowance>();
  readonly #waiting = new Set<() => void>();
  readonly #brake: FailureBrake;
  #hasDayEnded = false;
  /** Limits of what agents do beside turns. */
  readonly deeds: DeedLimits;

  constructor(runtime: RunRuntime, options: BudgetKeeperOptions) {
    this.#runtime = runtime;
    this.#options = options;
    const { above, steps } = options;
    this.deeds = new DeedLimits(runtime, steps, above?.deeds);
    runtime.onLive(() => {
      settleLeftOpen(runtime);
      above?.takeTotals(this.#name, useOfRun(runtime.state));
    });
    this.#brake = new FailureBrake(runtime);
    warnSoftLimits(runtime, options.steps);
    watchRunClock(runtime);
    runtime.onAppended(({ type }) => {
      if (CHANGES.has(type)) for (const keeper of this.#line()) keeper.#wake();
      if (USES.has(type)) this.#tellAbove();
    });
  }

  /** The usage with what its tokens cost, if the price of the agent's model is known. */
  priced(spec: AgentSpec, usage: Usage): Usage {
    return withPrice(usage, this.#options.pricing(spec));
  }

  /** Lets a turn start and sets aside what it may take, or says that it may not. */
  admit(asking: TurnToAdmit): TurnAdmission {
    const { spec } = asking;
    if (this.#isBraked()) return { status: "held" };
    if (asking.metering !== "free" && this.#isDaySpent()) return { status: "held" };
    const step = asking.step ?? findAgent(this.#runtime.state, spec.id)?.serves;
    const around = step === undefined ? [] : stepsAround(step);
    const steps = step === undefined ? [] : [step.id, ...around];
    const owned = budgetsAt(this.#runtime.state, this.#options.steps, { spec, steps });
    return this.#admit({ ...asking, step }, owned, around);
  }

  #isBraked(): boolean {
    return this.#line().some((keeper) => keeper.#brake.isOn);
  }

  #isDaySpent(): boolean {
    const { above, day } = this.#options;
    if (above !== undefined) return above.#isDaySpent();
    if (this.#hasDayEnded) return true;
    const spent = day?.spentAt(this.#runtime.state.usage.costUsd ?? 0);
    if (spent === undefined) return false;
    this.#hasDayEnded = true;
    const error = limitDay({ run: this.#runtime.run, ...spent });
    this.#runtime.stopAtLimit(toErrorReport(error), "when-still");
    return true;
  }

  #admit(
    asking: TurnToAdmit,
    owned: readonly OwnedBudget[],
    around: readonly string[],
  ): TurnAdmission {
    const { state } = this.#runtime;
    if (state.budget.exceeded !== undefined) return { status: "held" };
    const { spec, metering, turn, below } = asking;
    const step = asking.step?.id;
    const budgets = owned.map((each) => toTurnBudget(state, [...this.#running], each));
    // Agents of runs below may have the names of agents here.
    const agent = below === undefined ? spec.id : "";
    const estimated = { agent, backend: spec.backend, metering };
    const admission = admitTurn(budgets, estimateTurn(state.budget, estimated, budgets));
    if (admission.status === "waits") return { status: "held" };
    if (admission.status === "refused") {
      const child = below === undefined ? {} : { child: below.child };
      const place = { agent: spec.id, turn, ...(step === undefined ? {} : { step }), ...child };
      const { owner } = admission.reached;
      const error = reachLimit(this.#runtime, admission.reached, place);
      return owner.of === "run" ? { status: "held" } : { status: "refused", error };
    }
    const above = this.#admitAbove(asking);
    if (above !== undefined && above.status !== "granted") return above;
    const allowance = new TurnAllowance({
      ...asking,
      agent: spec.id,
      step,
      around,
      runtime: this.#runtime,
      budgets: owned,
      // The run above counts what this one tells, so what is set aside there is set aside here.
      amounts: { ...largerAmounts(admission.amounts, above?.allowance.granted ?? {}), turns: 1 },
      price: this.#options.pricing(spec),
      running: this.#running,
      ...(above === undefined ? {} : { above: above.allowance }),
    });
    return { status: "granted", allowance };
  }

  /** Only the budgets of the run itself and of the steps that wait for a child count what is below. */
  #admitAbove(asking: TurnToAdmit): TurnAdmission | undefined {
    const { above } = this.#options;
    if (above === undefined) return undefined;
    const { run, state } = this.#runtime;
    const { spec, turn } = asking;
    const own = {
      run,
      backend: spec.backend,
      works: () => (findTurn(state, spec.id, turn)?.asks.size ?? 0) === 0,
    };
    const below = { ...(asking.below ?? own), child: run };
    return above.#admit(
      { ...asking, below },
      above.#budgetsOver(this),
      stepsOver(above.#runtime.state, this.#name),
    );
  }

  /** The budgets of this run that count another one right below it. */
  #budgetsOver(child: BudgetKeeper): readonly OwnedBudget[] {
    return budgetsOver(this.#runtime.state, this.#options.steps, child.#name);
  }

  /** As the run above knows this one. */
  get #name(): ChildName {
    const { run, state } = this.#runtime;
    return { child: run, op: state.run.parent?.op ?? "" };
  }

  /** Resolves when a turn that was held may ask again; rejects with the signal's reason. */
  async whenChanged(signal: AbortSignal): Promise<void> {
    const aborted = rejectOnAbort(signal);
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const keeper of this.#line()) keeper.#waiting.add(resolve);
    try {
      await Promise.race([promise, aborted.promise]);
    } finally {
      for (const keeper of this.#line()) keeper.#waiting.delete(resolve);
      aborted.stop();
    }
  }

  /** Takes in what a child and all below it have used so far; what was left set aside for it is given back. */
  takeTotals(name: ChildName, use: ChildUse): void {
    const { child } = name;
    if (!isTold(this.#runtime.state.budget.children.get(child), use))
      this.#runtime.append({ type: "child-spent", ...name, use });
    settleChild(this.#runtime, child, new Set([...this.#running].map((each) => each.reservation)));
  }

  /** A child has reached a limit of its own and goes on with a higher one only: so does this run. */
  stopForChild(child: string, { meter, limit, spent }: ExceededLimit): void {
    const use = { meter, limit, spent, reserved: 0, isEstimate: false };
    reachLimit(this.#runtime, { owner: { of: "run" }, use }, { child, isOfChild: true });
  }

  /** A child has stopped, resumable, for another reason than its budget: so does this run. */
  stopWithChild(error: ErrorReport): void {
    this.#brake.stop(error);
  }

  /** The limit of a step that waits for a child, here or in a run above, when turns in it found no room there. */
  limitMetBy(name: ChildName): TroupeError | undefined {
    const own = limitMetBy(this.#runtime, this.#options.steps, name);
    return own ?? this.#options.above?.limitMetBy(this.#name);
  }

  /** A child is no longer carried out. */
  forget(child: string): void {
    this.deeds.forget(child);
  }

  /** This keeper and those above it. */
  #line(): readonly BudgetKeeper[] {
    const { above } = this.#options;
    return above === undefined ? [this] : [this, ...above.#line()];
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  /** A run above with a budget that counts this one is told of every turn; the others at the end. */
  #tellAbove(): void {
    const { state } = this.#runtime;
    if (this.#isCountedAbove()) this.#options.above?.takeTotals(this.#name, useOfRun(state));
  }

  #isCountedAbove(): boolean {
    const { above } = this.#options;
    if (above === undefined) return false;
    return above.#budgetsOver(this).length > 0 || above.#isCountedAbove();
  }
}
