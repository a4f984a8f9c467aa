import { expect, test } from "vitest";
import { admitTurn, estimateTurn, type TurnBudget } from "../../../src/agents/budget/admission.ts";
import type { BudgetMeter, BudgetOwner, TurnAmounts } from "../../../src/contracts/budget.ts";
import { createBudgetState } from "../../../src/fold/state/budget-state.ts";

const RUN: BudgetOwner = { of: "run" };

/** A budget of these meters, each as limit, spent and reserved. */
function budget(
  meters: { readonly [Meter in BudgetMeter]?: readonly [number, number?, number?] },
  { owner = RUN, mayGiveBack = false } = {},
): TurnBudget {
  const uses = Object.entries(meters).map(([name, [limit, spent = 0, reserved = 0]]) => {
    const meter = METERS.find((each) => each === name) ?? "turns";
    return { meter, limit, spent, reserved, isEstimate: false };
  });
  return { owner, uses, mayGiveBack };
}

const METERS: readonly BudgetMeter[] = [
  ...(["cost", "tokens", "turns", "messages", "agents", "handoffs", "wallClock"] as const),
];

const admit = (given: TurnBudget, needs: TurnAmounts) => admitTurn([given], needs);

test("a turn waits for others as soon as one of the meters that it needs is tight [LIM-1.turns]", () => {
  const needs = { cost: 0.5, tokens: 50, turns: 1 };
  const waiting = { mayGiveBack: true };
  expect(admit(budget({ cost: [1], tokens: [100, 60] }, waiting), needs).status).toBe("waits");
  expect(admit(budget({ cost: [1, 0, 0.6], tokens: [100] }, waiting), needs).status).toBe("waits");
  expect(admit(budget({ cost: [1], tokens: [100, 50] }, waiting), needs)).toEqual({
    status: "granted",
    amounts: needs,
  });
  // Nobody gives anything back: it has to do with what is left.
  expect(admit(budget({ cost: [1, 0.25, 0.5], tokens: [100, 60] }), needs)).toEqual({
    status: "granted",
    amounts: { cost: 0.25, tokens: 40, turns: 1 },
  });
});

test("what a turn does not need cannot stop it, and is not set aside for it [LIM-1.turns]", () => {
  expect(admit(budget({ cost: [1, 1], tokens: [9, 9] }), { turns: 1 })).toEqual({
    status: "granted",
    amounts: { turns: 1 },
  });
  expect(admit(budget({ cost: [1, 1] }), { cost: 0.1, turns: 1 }).status).toBe("refused");
  expect(admit(budget({ tokens: [9, 9] }), { tokens: 1, turns: 1 }).status).toBe("refused");
});

test("spawned agents and hand-overs of one's own stop no turn; hand-overs of a run or a step stop who got the task beyond them [LIM-1.hand-offs]", () => {
  const owner: BudgetOwner = { of: "agent", agent: "a" };
  const step: BudgetOwner = { of: "step", step: "s" };
  const statusOf = (given: TurnBudget) => admit(given, { turns: 1 }).status;
  expect(statusOf(budget({ agents: [1, 1] }))).toBe("granted");
  expect(statusOf(budget({ handoffs: [1, 2] }, { owner }))).toBe("granted");
  expect(statusOf(budget({ handoffs: [1, 1] }))).toBe("granted");
  expect(statusOf(budget({ handoffs: [1, 2] }))).toBe("refused");
  expect(statusOf(budget({ handoffs: [1, 2] }, { owner: step }))).toBe("refused");
  expect(statusOf(budget({ turns: [2, 1, 1] }))).toBe("refused");
});

test("a turn is taken to need what the largest of its agent did, else of its backend, else a tenth of the smallest limit [LIM-1.turns]", () => {
  const state = createBudgetState();
  const budgets = [budget({ cost: [4], tokens: [1000] }), budget({ cost: [2] }), budget({})];
  const estimate = (metering?: "free" | "exact") =>
    estimateTurn(state, { agent: "a", backend: "b", metering }, budgets);
  expect(estimate()).toEqual({ cost: 0.2, tokens: 100, turns: 1 });
  expect(estimate("free")).toEqual({ turns: 1 });
  state.largest.set("backend:b", { cost: 0.7 });
  expect(estimate()).toEqual({ cost: 0.7, tokens: 100, turns: 1 });
  state.largest.set("a", { cost: 0.3, tokens: 7 });
  expect(estimate("exact")).toEqual({ cost: 0.3, tokens: 7, turns: 1 });
  expect(estimate("free")).toEqual({ cost: 0.3, tokens: 7, turns: 1 });
  expect(estimateTurn(state, { agent: "a", backend: "b", metering: undefined }, [])).toEqual({
    turns: 1,
  });
});
