import type { AgentSpec } from "../../contracts/agent.ts";
import type { BudgetOwner } from "../../contracts/budget.ts";
import type { RunRuntime } from "../../engine/run-runtime.ts";
import { holderOf, isSpent, meterUses } from "../../fold/state/budget-reading.ts";
import { stepsServed } from "../../fold/state/steps-around.ts";
import type { TroupeError } from "../../foundation/errors.ts";
import type { ReachedLimit } from "./admission.ts";
import { type ChildName, stepsOver } from "./child-budgets.ts";
import { type LimitPlace, reachLimit } from "./reach-limit.ts";
import { type BudgetPlace, budgetsAt, type StepBudgets } from "./turn-budgets.ts";

// Owns what agents may still do that is counted one by one: messages, agents that they spawn, hand-overs. What was done is
// the fold's.
// D1: a deed counts against the run, its agent and whoever spawned that, the steps of its turn, and the runs above with
//     the steps that wait there, also what those have not been told yet.
// D2: at a limit the deed is refused to whoever asks for it. That of an agent fails no turn; whoever gets a task beyond
//     the hand-overs of a run or a step begins none.

/** Limits of what the agents of one run do beside their turns, while this process owns the run. */
export class DeedLimits {
  readonly #runtime: RunRuntime;
  readonly #steps: StepBudgets;
  readonly #above: DeedLimits | undefined;
  /** Of the runs right below this one that this process carries out, by id. */
  readonly #below = new Map<string, DeedLimits>();

  constructor(runtime: RunRuntime, steps: StepBudgets, above: DeedLimits | undefined) {
    this.#runtime = runtime;
    this.#steps = steps;
    this.#above = above;
    if (above !== undefined) above.#below.set(runtime.run, this);
  }

  /** A child is no longer carried out. */
  forget(child: string): void {
    this.#below.delete(child);
  }

  /** Whether an agent may be spawned now; else that is held until the run is resumed. Raises LIMIT_AGENTS. */
  maySpawn(spec: AgentSpec): boolean {
    const { state } = this.#runtime;
    if (state.budget.exceeded !== undefined) return false;
    const found = this.#spentInLine("agents", { agent: spec.spawnedBy });
    if (found === undefined) {
      return this.#line.every((limits) => limits.#runtime.state.budget.exceeded === undefined);
    }
    const error = this.#reach(found, { agent: spec.id });
    if (found.reached.owner.of === "run") return false;
    throw error;
  }

  /** Raises LIMIT_MESSAGES when no message is left for an agent in a turn of it. */
  assertMayPost(agent: string, turn: number): void {
    const found = this.#spentInLine("messages", { agent, turn });
    if (found !== undefined) throw this.#reach(found, { agent, turn });
  }

  /** Raises LIMIT_AGENTS when a step that a turn serves has no agent left; what else limits them is said by `maySpawn`. */
  assertMaySpawnIn(agent: string, turn: number): void {
    const found = this.#spentInLine("agents", { turn, agent, of: "step" });
    if (found !== undefined) throw this.#reach(found, { agent, turn });
  }

  /**
   * Why a hand-over of an agent does not count, if its own limit leaves none; journals that. What a run or a step has
   * left lets no receiver begin.
   */
  refusedHandover(agent: string, turn: number): string | undefined {
    const found = this.#spentInLine("handoffs", { agent, turn, of: "agent" });
    return found && this.#reach(found, { agent, turn }).message;
  }

  /** The hand-overs that all budgets together leave a turn; undefined where nothing limits them. */
  handoversLeft(agent: string, turn: number): number | undefined {
    const place = { agent, turn };
    const left = this.#line.flatMap((limits) =>
      limits
        .#usesFor("handoffs", this.#placeIn(limits, place))
        .map(({ use: { limit, spent } }) => Math.max(0, limit - spent)),
    );
    return left.length === 0 ? undefined : Math.min(...left);
  }

  #reach({ limits, reached }: FoundLimit, place: LimitPlace): TroupeError {
    const child = limits === this ? {} : { child: limits.#childOf(this) };
    return reachLimit(limits.#runtime, reached, { ...place, ...child });
  }

  /** The child of this run through which another one is below it. */
  #childOf(other: DeedLimits): string {
    const line = other.#line;
    const limits = line[line.indexOf(this) - 1] ?? other;
    return limits.#runtime.run;
  }

  /** The first limit of this run, or of one above it, that leaves none. */
  #spentInLine(meter: DeedMeter, place: DeedPlace): FoundLimit | undefined {
    for (const limits of this.#line) {
      const reached = limits
        .#usesFor(meter, this.#placeIn(limits, place))
        .find(({ owner, use }) => isSpent(use) && owner.of === (place.of ?? owner.of));
      if (reached !== undefined) return { limits, reached };
    }
    return undefined;
  }

  /** Who does something here, as a run of the line knows it: above stand only the steps that wait for this run. */
  #placeIn(limits: DeedLimits, { agent, turn }: DeedPlace): BudgetPlace {
    if (limits !== this) {
      const line = this.#line;
      const below = line[line.indexOf(limits) - 1] ?? this;
      return { spec: undefined, steps: stepsOver(limits.#runtime.state, below.#name) };
    }
    const { state } = this.#runtime;
    const known = agent === undefined ? undefined : state.agents.get(agent);
    const running = turn === undefined ? undefined : known?.turns.get(turn);
    return { spec: known?.spec, steps: running === undefined ? [] : stepsServed(running) };
  }

  /** The limits of a meter that count what is done at a place. */
  #usesFor(meter: DeedMeter, place: BudgetPlace): readonly ReachedLimit[] {
    const { state } = this.#runtime;
    return budgetsAt(state, this.#steps, place).flatMap((owned) =>
      meterUses(state, owned)
        .filter((use) => use.meter === meter)
        .map((use) => {
          const owner = holderOf(owned);
          return { owner, use: { ...use, spent: use.spent + this.#untold(meter, owner) } };
        }),
    );
  }

  /** What runs below have used of a budget and not told yet. */
  #untold(meter: DeedMeter, owner: BudgetOwner): number {
    if (owner.of === "agent") return 0;
    const { state } = this.#runtime;
    const counted = [...this.#below].filter(
      ([, limits]) => owner.of === "run" || stepsOver(state, limits.#name).includes(owner.step),
    );
    return counted.reduce((sum, [child, limits]) => {
      const told = state.budget.children.get(child)?.[meter] ?? 0;
      return sum + limits.#useNow(meter) - told;
    }, 0);
  }

  /** What is used now, with what children have not told yet. */
  #useNow(meter: DeedMeter): number {
    return this.#runtime.state.budget.run[meter] + this.#untold(meter, { of: "run" });
  }

  /** As the run above knows this one. */
  get #name(): ChildName {
    const { run, state } = this.#runtime;
    return { child: run, op: state.run.parent?.op ?? "" };
  }

  /** This run and those above it. */
  get #line(): readonly DeedLimits[] {
    return this.#above === undefined ? [this] : [this, ...this.#above.#line];
  }
}

/** What agents do, each time as a whole, in or between turns. */
type DeedMeter = "agents" | "messages" | "handoffs";

/** Who does something. */
interface DeedPlace {
  readonly agent: string | undefined;
  /** Absent: in no turn. */
  readonly turn?: number;
  /** Whose limits are asked for. Defaults to all. */
  readonly of?: BudgetOwner["of"];
}

/** A limit that leaves none, and in which run. */
interface FoundLimit {
  readonly limits: DeedLimits;
  readonly reached: ReachedLimit;
}
