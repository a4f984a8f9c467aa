import type { BudgetKeeper } from "../../../agents/budget/budget-keeper.ts";
import { createRateGovernor, type RateGovernor } from "../../../agents/governor/rate-governor.ts";
import type { RunRuntime } from "../../../engine/run-runtime.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import type { ErrorReport } from "../../../foundation/errors.ts";
import { bothOf, createSemaphore, type Semaphore } from "../../../foundation/semaphore.ts";

/** A run in the hands of this process, before it starts. */
export interface TreeMember {
  readonly runtime: RunRuntime;
  readonly budget: BudgetKeeper;
  /** Lets go of it without settling anything. */
  suspend(reason: "interrupted" | "waiting", exitCode: number, error?: ErrorReport): void;
}

/** Where a run stands below another one. */
export interface TreePlace {
  readonly tree: RunTree;
  /** Levels above it; 1 for a child of the first run. */
  readonly depth: number;
  /** Keeps the budget of its parent. */
  readonly above: BudgetKeeper;
  /** Called before it starts. */
  readonly watch: (member: TreeMember) => void;
}

/** What the runs of a tree share in the process that carries them out: places for turns, accounts, the number of agents. */
export class RunTree {
  readonly governor: RateGovernor;
  /** Places for turns on a backend. */
  readonly slotsOf: (backend: string) => Semaphore;
  readonly #states = new Map<string, RunState>();

  constructor(parts: { readonly governor: RateGovernor; readonly createSlots: () => Semaphore }) {
    this.governor = parts.governor;
    this.slotsOf = keyedSemaphores(parts.createSlots);
  }

  /** A run has been taken up. */
  join(run: string, state: RunState): void {
    this.#states.set(run, state);
  }

  /** A run is over or was let go. */
  leave(run: string): void {
    this.#states.delete(run);
  }

  /** The agents that live in other runs, as people know them. */
  agentsBeside(run: string): readonly string[] {
    return [...this.#states].flatMap(([id, { agents }]) =>
      id === run
        ? []
        : [...agents.values()]
            .filter(({ status }) => status !== "exited")
            .map((agent) => `${agent.id} of ${id}`),
    );
  }
}

/** The tree that begins with a run. */
export function createRunTree({ turnsAtOnce, hostSlots, accounts }: RunTreeLimits): RunTree {
  return new RunTree({
    createSlots: () => {
      const own = createSemaphore(turnsAtOnce);
      return hostSlots === undefined ? own : bothOf(own, hostSlots);
    },
    governor: createRateGovernor({ ...accounts, random: Math.random }),
  });
}

/** What the runs of a tree may do at once. */
interface RunTreeLimits {
  /** On each backend. */
  readonly turnsAtOnce: number;
  /** Places that runs of this machine share; undefined where nothing limits them. */
  readonly hostSlots: Semaphore | undefined;
  readonly accounts: Omit<Parameters<typeof createRateGovernor>[0], "random">;
}

/** A semaphore for each name, made when it is first asked for. */
export function keyedSemaphores(create: () => Semaphore): (name: string) => Semaphore {
  const made = new Map<string, Semaphore>();
  return (name) => {
    const known = made.get(name) ?? create();
    made.set(name, known);
    return known;
  };
}
