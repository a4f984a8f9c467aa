import type { EventOf } from "../../contracts/events/event.ts";
import type { RevisedStep } from "../../contracts/events/reuse.ts";
import type { TurnState } from "../state/agent-state.ts";
import type { BudgetUse } from "../state/budget-state.ts";
import { emptyTrail } from "../state/call-trail.ts";
import type { RunState } from "../state/run-state.ts";
import type { FoldTable } from "./fold-table.ts";

/**
 * What changes where a fork leaves the run that it was made from. What that run has used it has paid for, what
 * it asks people is asked there, and its keys and places are its own.
 */
export const forkTable: FoldTable = {
  "run-forked": (state, event) => {
    state.run = toFork(state, event);
    if (state.phase.status !== "created")
      state.phase = {
        status: "suspended",
        reason: "interrupted",
        waitingFor: [],
        exitCode: 0,
        error: undefined,
        suspendedAt: event.at,
      };
    forgetUse(state);
    forgetApprovals(state);
    for (const agent of state.agents.values()) {
      agent.usage = {};
      agent.place = undefined;
      renewKeys(agent.turns, state, event);
      renewKeys(agent.interruptedTurns, state, event);
    }
    for (const step of event.set?.steps ?? []) revise(state, step);
  },
};

function toFork({ run }: RunState, event: EventOf<"run-forked">) {
  const { source, seed, set = {}, seq, at } = event;
  const { task = run.task, params = run.params, input = run.input, steps = [] } = set;
  return {
    ...run,
    task,
    params,
    input,
    parent: undefined,
    startedBelow: event.startedBelow,
    schedule: undefined,
    forkedFrom: source,
    laterSeeds: [...run.laterSeeds, { afterSeq: seq, seed }],
    revisedSteps: [...run.revisedSteps, ...steps],
    startedAt: run.startedAt === undefined ? undefined : at,
  };
}

function forgetUse(state: RunState): void {
  const { budget } = state;
  state.usage = {};
  state.unpricedTurns = 0;
  budget.reservations.clear();
  budget.told.clear();
  budget.exceeded = undefined;
  const uses = [budget.run, ...budget.agents.values(), ...budget.steps.values()];
  for (const use of uses) Object.assign(use, NOTHING_USED);
}

// Agents, messages and hand-overs are still there.
const NOTHING_USED: Omit<BudgetUse, "agents" | "messages" | "handoffs"> = {
  cost: 0,
  tokens: 0,
  turns: 0,
  workedMs: 0,
  isEstimate: false,
};

/** What the program asks people is asked for anew, under ids of their own. */
function forgetApprovals({ inbox, operations }: RunState): void {
  for (const item of [...inbox.values()]) {
    if (item.kind === "permission" || item.op === undefined) continue;
    inbox.delete(item.id);
    const operation = operations.open.get(item.op);
    if (operation !== undefined) operation.approval = undefined;
  }
}

function renewKeys(
  turns: Map<number, TurnState>,
  { run }: RunState,
  { source }: EventOf<"run-forked">,
): void {
  const old = `${source.run}/`;
  for (const [number, turn] of turns) {
    if (!turn.key.startsWith(old)) continue;
    const key = `${run.id}/${turn.key.slice(old.length)}`;
    // What was called there was called in another run, and not where this one works.
    turns.set(number, { ...turn, key, trail: emptyTrail() });
  }
}

function revise({ steps }: RunState, { path, execution, output, data }: RevisedStep): void {
  const step = steps.byPath.get(path);
  if (step?.status !== "completed" || step.execution !== execution) return;
  steps.byPath.set(path, { ...step, output, text: output, outputTruncated: false, data });
}
