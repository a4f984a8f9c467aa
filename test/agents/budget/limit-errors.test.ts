import { expect, test } from "vitest";
import { limitDay, limitReached } from "../../../src/agents/budget/errors.ts";
import type { BudgetMeter, BudgetOwner } from "../../../src/contracts/budget.ts";

const RUN = "run_1";

interface Place {
  readonly owner?: BudgetOwner;
  readonly agent?: string;
  readonly step?: string;
  readonly turn?: number;
}

function told(meter: BudgetMeter, limit: number, { owner = { of: "run" }, ...place }: Place = {}) {
  const { message, hint } = limitReached(meter, { run: RUN, owner, limit, ...place });
  return { message, hint };
}

test("a limit of the run says who met it, and which option goes on with twice as much [LIM-1.turns, ENG-11]", () => {
  const hints = (
    [
      ["cost", 0.1],
      ["tokens", 2.5],
      ["turns", 3],
      ["messages", 4],
      ["agents", 5],
      ["handoffs", 6],
      ["wallClock", 1200],
    ] as const
  ).map(([meter, limit]) => told(meter, limit).hint?.split("run_1 ")[1]);
  expect(hints).toEqual([
    ...["--max-cost 0.2", "--max-tokens 5", "--max-turns 6", "--max-messages 8"],
    ...["--max-agents 10", "--max-handoffs 12", "--max-time 3s"],
  ]);
  expect(told("cost", 1 / 3).hint).toMatch(/--max-cost 0\.666667$/);
  const messages = [
    {},
    { agent: "ada" },
    { agent: "ada", turn: 2 },
    { agent: "ada", step: "draft", turn: 2 },
  ].map((place) => told("turns", 3, place).message);
  expect(messages).toEqual([
    "stopped at 3 turns (max_turns) — nothing lost",
    'stopped at 3 turns (max_turns) at agent "ada" — nothing lost',
    'stopped at 3 turns (max_turns) at agent "ada", turn 2 — nothing lost',
    'stopped at 3 turns (max_turns) in step "draft", turn 2 — nothing lost',
  ]);
});

test("a limit of an agent or a step says whose it is, and where to raise it [LIM-1.turns]", () => {
  expect(told("tokens", 500, { owner: { of: "agent", agent: "ada" } })).toEqual({
    message: 'agent "ada" has reached its limit of 500 tokens',
    hint: 'raise tokens in the budget of agent "ada"',
  });
  expect(told("wallClock", 60_000, { owner: { of: "step", step: "draft" } })).toEqual({
    message: 'step "draft" has reached its limit of 1m00s',
    hint: 'raise wallClock in the budget of step "draft"',
  });
});

test("a day that is spent says whose runs it counts, and in whose configuration its limit stands [LIM-1.turns]", () => {
  const day = { run: RUN, limit: 5, spent: 5.25 };
  const [project, user] = [limitDay({ ...day, of: "project" }), limitDay({ ...day, of: "user" })];
  expect(project.message).toContain("the runs of this project have cost $5.25 today, of $5.00");
  expect(project.hint).toContain("of the configuration of the project: troupe resume run_1");
  expect(user.message).toContain("the runs of all projects have cost $5.25 today, of $5.00");
  expect(user.hint).toContain("of the configuration of the user: troupe resume run_1");
});
