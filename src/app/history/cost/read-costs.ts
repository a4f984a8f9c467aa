import type { TurnAmounts } from "../../../contracts/budget.ts";
import { type MeterUse, runBudget } from "../../../fold/state/budget-reading.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { TroupeError } from "../../../foundation/errors.ts";
import type { Machine } from "../../machine/machine.ts";
import { runsBelow } from "../../runs/families/run-families.ts";
import { readRunList } from "../../runs/run-index.ts";
import { readTurns, type TurnCost } from "./turn-costs.ts";

/** What runs have used. */
export interface Costs {
  readonly turns: readonly TurnCost[];
  /** The runs of these turns, and those that have set something aside. */
  readonly runs: readonly RunCost[];
  /** Why other runs could not be read. */
  readonly problems: readonly TroupeError[];
}

/** The limits of one run and what is set aside. */
export interface RunCost {
  readonly run: string;
  readonly workflow: string;
  readonly instance: string;
  /** Root of its project, where several are told. */
  readonly project?: string;
  /** What turns that have not ended may use. */
  readonly reservations: readonly TurnAmounts[];
  /** The limits of the run with what is spent; empty without any. */
  readonly budget: readonly MeterUse[];
}

/** Which turns are wanted. */
export interface CostScope {
  readonly run?: string;
  readonly agent?: string;
  /** Those that ended at that time or later; milliseconds since the epoch. */
  readonly sinceMs?: number;
}

/** Reads what the runs of a project have used, or one of them with all below it. Raises RUN_NOT_FOUND and STORE_* errors for that one. */
export function readCosts(machine: Machine, scope: CostScope): Costs {
  if (scope.run !== undefined) return readTree(machine, scope.run, scope);
  const { sinceMs = 0 } = scope;
  const listed = readRunList(machine);
  const problems = [...listed.problems];
  const read = listed.runs
    .filter(({ lastAt }) => Date.parse(lastAt) >= sinceMs)
    .flatMap(({ run }) => {
      try {
        return [readRun(machine, run, scope)];
      } catch (error) {
        // One run that is damaged or being removed must not hide what the others cost (I9).
        if (!(error instanceof TroupeError)) throw error;
        problems.push(error);
        return [];
      }
    });
  return {
    turns: read.flatMap(({ turns }) => turns),
    runs: read.flatMap(({ runs }) => runs),
    problems,
  };
}

/** A run comes first, then those below it. */
function readTree(machine: Machine, run: string, scope: CostScope): Costs {
  const below = scope.agent === undefined ? runsBelow(machine.store, run) : [];
  const read = [run, ...below].map((id) => readRun(machine, id, scope));
  return {
    turns: read.flatMap(({ turns }) => turns),
    runs: read.flatMap(({ runs }) => runs),
    problems: [],
  };
}

function readRun(
  machine: Machine,
  run: string,
  { agent, sinceMs = 0 }: CostScope,
): Pick<Costs, "turns" | "runs"> {
  const journal = machine.store.open(run, "read");
  try {
    const { state, turns } = readTurns(run, journal.read());
    const isWanted = (turn: TurnCost) =>
      turn.at >= sinceMs && (agent === undefined || turn.agent === agent);
    return { turns: turns.filter(isWanted), runs: [toRunCost(run, state, agent)] };
  } finally {
    journal.close();
  }
}

function toRunCost(run: string, state: RunState, agent: string | undefined): RunCost {
  const open = [...state.budget.reservations.values()];
  return {
    run,
    workflow: state.run.workflow,
    instance: state.run.instance,
    reservations: open
      // What a child has set aside is in its own journal too.
      .filter((each) => each.child === undefined && (agent === undefined || each.agent === agent))
      .map(({ amounts }) => amounts),
    budget: runBudget(state),
  };
}
