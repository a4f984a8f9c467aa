/**
 * Owns what was consumed and what is set aside.
 *
 * B1 A turn counts when it ends, with what it reported; whether there is a budget makes no difference, so
 *    that a budget set later counts what was before.
 * B2 What a reservation's end assumes beyond that counts once, with that event.
 * B3 What child runs consume counts for the run, and for the steps that wait for them, by the totals that they
 *    tell, each time anew.
 * B4 What a turn consumes, posts and spawns counts for its step and for every step around that; a turn of an agent
 *    that another one has spawned for the step in whose turn that one spoke to it last. A hand-over counts for the
 *    step that its pattern carries out, and for those around.
 * B5 What an agent consumes counts for whoever has spawned it, and for all above.
 * B6 A reservation is open from `budget-reserved` to `budget-settled`, across the deaths of owners.
 */
import { type ChildUse, largerAmounts } from "../../contracts/budget.ts";
import type { EventOf } from "../../contracts/events/event.ts";
import { tokensOf } from "../../contracts/usage.ts";
import { ancestorsOf, findTurn } from "../state/agent-lookup.ts";
import { handsOver, hasSpawned, toldKey } from "../state/budget-reading.ts";
import { type BudgetUse, createBudgetUse } from "../state/budget-state.ts";
import { isKnownMessage } from "../state/message-source.ts";
import type { RunState } from "../state/run-state.ts";
import { startsAgain } from "../state/starts-again.ts";
import { stepsAroundChild, stepsOf, stepsServed } from "../state/steps-around.ts";
import type { FoldTable } from "./fold-table.ts";

/** Budgets of the run, its agents and its steps. */
export const budgetTable: FoldTable = {
  "budget-reserved": (state, event) => {
    const { reservation: id, child, agent, turn, step, around = [], amounts } = event;
    const above = agentsAbove(state, agent);
    state.budget.reservations.set(id, { id, child, agent, above, turn, step, around, amounts });
  },
  "budget-settled": (state, event) => {
    if (!state.budget.reservations.delete(event.reservation)) return;
    if (event.child === undefined)
      for (const use of usesOf(state, toPlace(event))) assume(use, event);
    if (event.assumed === undefined) remember(state, event);
  },
  "budget-warned": ({ budget }, event) => {
    budget.told.set(toldKey(event, event.meter, event.cause), event.limit);
  },
  "budget-exceeded": ({ budget }, event) => {
    const { of, meter, limit, spent, agent, step, turn, child, isOfChild = false } = event;
    const at = { agent, step, turn, child, isOfChild };
    if (of === "run") budget.exceeded ??= { meter, limit, spent, ...at };
    // Whose limit it is, and not who met it: only that is told once.
    else
      budget.told.set(
        toldKey(of === "step" ? { of, step, child } : { of, agent }, meter, "exceeded"),
        limit,
      );
  },
  "child-spent": (state, { child, op, use: told }) => {
    const { budget } = state;
    const before = budget.children.get(child);
    for (const use of usesOfChild(state, child, op)) {
      addUse(use, told, 1);
      if (before !== undefined) addUse(use, before, -1);
    }
    budget.children.set(child, told);
  },
  // Whoever goes on may have raised the limit.
  "run-resumed": ({ budget }) => {
    budget.exceeded = undefined;
  },
  "turn-completed": (state, event) => countTurn(state, event, 1),
  "turn-failed": (state, event) => countTurn(state, event, 1),
  "turn-interrupted": (state, event) => {
    countTurn(state, event, startsAgain(event.reason) ? 0 : 1);
  },
  "message-posted": (state, { id, from, key }) => {
    if (isKnownMessage(state, id) || !state.agents.has(from)) return;
    const steps = stepsOfKey(state, from, key);
    for (const use of usesOf(state, { agent: from, steps })) use.messages += 1;
  },
  "pattern-advanced": (state, event) => {
    const agent = handsOver(event);
    if (agent === undefined) return;
    const steps = event.path === undefined ? [] : stepsOf(event.path);
    for (const use of usesOf(state, { agent, steps })) use.handoffs += 1;
  },
  "agent-spawned": (state, { spec }) => {
    state.budget.run.agents += 1;
    for (const id of ancestorsOf(state, spec)) useOf(state.budget.agents, id).agents += 1;
  },
  // Whose turn it was, and so for which step, is known by the call alone.
  "collab-ended": (state, event) => {
    if (!hasSpawned(event)) return;
    const turn = findTurn(state, event.agent, event.turn);
    for (const step of turn === undefined ? [] : stepsServed(turn))
      useOf(state.budget.steps, step).agents += 1;
  },
};

type EndedTurn = EventOf<"turn-completed"> | EventOf<"turn-failed"> | EventOf<"turn-interrupted">;

function countTurn(state: RunState, event: EndedTurn, turns: 0 | 1): void {
  const agent = state.agents.get(event.agent);
  const turn = agent?.turns.get(event.turn) ?? agent?.interruptedTurns.get(event.turn);
  if (turn === undefined) return;
  const { usage = {} } = event;
  for (const use of usesOf(state, { agent: event.agent, steps: stepsServed(turn) })) {
    use.turns += turns;
    use.cost += usage.costUsd ?? 0;
    use.tokens += tokensOf(usage) ?? 0;
  }
}

/** The steps that a turn serves in which a message was posted; what each does has a key that begins with the turn's. */
function stepsOfKey(state: RunState, agent: string, key: string | undefined): readonly string[] {
  const turns = [...(state.agents.get(agent)?.turns.values() ?? [])];
  const turn = turns.find((each) => key?.startsWith(`${each.key}/`) === true);
  return turn === undefined ? [] : stepsServed(turn);
}

/** Who and what a turn is counted for, beside the run. */
interface CountedPlace {
  readonly agent: string;
  readonly steps: readonly string[];
}

function toPlace({ agent, step, around = [] }: EventOf<"budget-settled">): CountedPlace {
  return { agent, steps: step === undefined ? [] : [step, ...around] };
}

function usesOf(state: RunState, { agent, steps }: CountedPlace): readonly BudgetUse[] {
  const { budget } = state;
  const ofAgents = [agent, ...agentsAbove(state, agent)].map((id) => useOf(budget.agents, id));
  const ofSteps = steps.map((step) => useOf(budget.steps, step));
  return [budget.run, ...ofAgents, ...ofSteps];
}

function agentsAbove(state: RunState, agent: string): readonly string[] {
  const spec = state.agents.get(agent)?.spec;
  return spec === undefined ? [] : ancestorsOf(state, spec);
}

function usesOfChild(
  { budget, children }: RunState,
  child: string,
  op: string,
): readonly BudgetUse[] {
  const known = children.get(op);
  const steps = known?.child === child ? stepsAroundChild(known) : [];
  return [budget.run, ...steps.map((step) => useOf(budget.steps, step))];
}

function assume(use: BudgetUse, { assumed = {}, workedMs }: EventOf<"budget-settled">): void {
  const { cost = 0, tokens = 0 } = assumed;
  use.cost += cost;
  use.tokens += tokens;
  use.workedMs += workedMs;
  use.isEstimate ||= cost > 0 || tokens > 0;
}

function remember({ budget, agents }: RunState, event: EventOf<"budget-settled">): void {
  // A turn that is started again has not shown what it takes.
  if (event.amounts.turns === 0) return;
  const isOwn = event.child === undefined;
  const backend = isOwn ? agents.get(event.agent)?.backend : event.backend;
  const names = [
    ...(isOwn ? [event.agent] : []),
    ...(backend === undefined ? [] : [`backend:${backend}`]),
  ];
  for (const name of names)
    budget.largest.set(name, largerAmounts(budget.largest.get(name) ?? {}, event.amounts));
}

/** Adds what a child has told, or takes back what it told before. */
function addUse(use: BudgetUse, told: ChildUse, sign: 1 | -1): void {
  use.cost += sign * told.cost;
  use.tokens += sign * told.tokens;
  use.turns += sign * told.turns;
  use.messages += sign * told.messages;
  use.agents += sign * told.agents;
  use.handoffs += sign * (told.handoffs ?? 0);
  use.workedMs += sign * told.workedMs;
  use.isEstimate ||= told.isEstimate;
}

function useOf(uses: Map<string, BudgetUse>, id: string): BudgetUse {
  const known = uses.get(id) ?? createBudgetUse();
  uses.set(id, known);
  return known;
}
