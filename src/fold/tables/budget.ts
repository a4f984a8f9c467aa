/**
 * Owns what was consumed and what is set aside.
 *
 * B1 A turn counts when it ends, with what it reported; whether there is a budget makes no difference, so
 *    that a budget set later counts what was before.
 * B2 What a reservation's end assumes beyond that counts once, with that event.
 * B3 A reservation is open from `budget-reserved` to `budget-settled`, across the deaths of owners.
 */
import type { TurnAmounts } from "../../contracts/budget.ts";
import type { EventOf } from "../../contracts/event.ts";
import { tokensOf } from "../../contracts/usage.ts";
import { toldKey } from "../budget-reading.ts";
import type { FoldTable } from "../fold-table.ts";
import type { RunState } from "../run-state.ts";
import { startsAgain } from "../starts-again.ts";
import { type BudgetUse, createBudgetUse } from "../state/budget-state.ts";

/** Budgets of the run, its agents and its steps. */
export const budgetTable: FoldTable = {
  "budget-reserved": ({ budget }, { reservation: id, agent, turn, step, amounts }) => {
    budget.reservations.set(id, { id, agent, turn, step, amounts });
  },
  "budget-settled": (state, event) => {
    if (!state.budget.reservations.delete(event.reservation)) return;
    for (const use of usesOf(state, event)) assume(use, event);
    if (event.assumed === undefined) remember(state, event);
  },
  "budget-warned": ({ budget }, event) => {
    budget.told.set(toldKey(event, event.meter, event.cause), event.limit);
  },
  "budget-exceeded": ({ budget }, event) => {
    const { of, meter, limit, spent, agent, step, turn } = event;
    if (of === "run") budget.exceeded ??= { meter, limit, spent, agent, step, turn };
    else budget.told.set(toldKey(event, meter, "exceeded"), limit);
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
  "message-posted": (state, { id, from }) => {
    if (state.messages.byId.has(id) || !state.agents.has(from)) return;
    state.budget.run.messages += 1;
    useOf(state.budget.agents, from).messages += 1;
  },
  "agent-spawned": ({ budget }, { spec }) => {
    budget.run.agents += 1;
    if (spec.spawnedBy !== undefined) useOf(budget.agents, spec.spawnedBy).agents += 1;
  },
};

type EndedTurn = EventOf<"turn-completed"> | EventOf<"turn-failed"> | EventOf<"turn-interrupted">;

function countTurn(state: RunState, event: EndedTurn, turns: 0 | 1): void {
  const agent = state.agents.get(event.agent);
  const turn = agent?.turns.get(event.turn) ?? agent?.interruptedTurns.get(event.turn);
  if (turn === undefined) return;
  const { usage = {} } = event;
  for (const use of usesOf(state, { agent: event.agent, step: turn.step?.id })) {
    use.turns += turns;
    use.cost += usage.costUsd ?? 0;
    use.tokens += tokensOf(usage) ?? 0;
  }
}

function usesOf(
  { budget }: RunState,
  { agent, step }: { readonly agent: string; readonly step?: string | undefined },
): readonly BudgetUse[] {
  const own = [budget.run, useOf(budget.agents, agent)];
  return step === undefined ? own : [...own, useOf(budget.steps, step)];
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
  const backend = agents.get(event.agent)?.backend;
  const names = backend === undefined ? [event.agent] : [event.agent, `backend:${backend}`];
  for (const name of names)
    budget.largest.set(name, larger(budget.largest.get(name) ?? {}, event.amounts));
}

function larger(left: TurnAmounts, right: TurnAmounts): TurnAmounts {
  const cost = most(left.cost, right.cost);
  const tokens = most(left.tokens, right.tokens);
  return { ...(cost === undefined ? {} : { cost }), ...(tokens === undefined ? {} : { tokens }) };
}

function most(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined ? right : Math.max(left, right ?? 0);
}

function useOf(uses: Map<string, BudgetUse>, id: string): BudgetUse {
  const known = uses.get(id) ?? createBudgetUse();
  uses.set(id, known);
  return known;
}
