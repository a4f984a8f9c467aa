import { expect, test } from "vitest";
import type { DayBudget } from "../../../src/agents/budget/day-budget.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { agent, playedBackend, runAgents, said } from "../agents-run.ts";
import { endOf, turns, using } from "./budget-run.ts";

const USE = { inputTokens: 10, costUsd: 0.5 };

/** A day on which others have spent so much. */
function dayWith(others: number, limit: number): DayBudget {
  return {
    spentAt: (own) =>
      others + own < limit ? undefined : { limit, spent: others + own, of: "project" },
  };
}

test("no turn begins once a day has cost what it may; the run ends resumable and goes on the next day [LIM-day]", async () => {
  const store = createCuttableStore();
  const backend = using(USE);
  const first = runAgents(turns(4), { backend, store, day: dayWith(9, 10) });
  expect(await endOf(first)).toMatchObject({
    outcome: "limit-reached",
    exitCode: 5,
    resumable: true,
    error: { code: "LIMIT_DAY" },
  });
  expect(first.all("turn-completed")).toHaveLength(2);
  const same = runAgents(turns(4), { backend, store, day: dayWith(9, 10) });
  expect(await endOf(same)).toMatchObject({ outcome: "limit-reached" });
  expect(same.all("turn-started")).toEqual([]);
  const next = runAgents(turns(4), { backend, store, day: dayWith(-1, 10) });
  expect(await endOf(next)).toMatchObject({ outcome: "completed" });
  expect([...first.all("turn-started"), ...next.all("turn-started")]).toHaveLength(4);
});

test("from the first turn that finds the day spent on none begins, although there seems to be room again [LIM-day]", async () => {
  let asked = 0;
  const day: DayBudget = {
    spentAt: () => {
      asked += 1;
      return asked === 1 ? { limit: 1, spent: 2, of: "user" } : undefined;
    },
  };
  const run = runAgents(
    async (context) => {
      for (const id of ["a", "b"]) await context.spawn(agent(id));
      await Promise.all(["a", "b"].map((id) => context.turn(id, "go")));
      return null;
    },
    { backend: using(USE), day },
  );
  expect(await endOf(run)).toMatchObject({
    outcome: "limit-reached",
    error: { code: "LIMIT_DAY" },
  });
  expect(run.all("turn-started")).toEqual([]);
});

test("agents that ask no model go on when the day is spent [LIM-day]", async () => {
  const free = playedBackend(
    async function* () {
      yield said("free");
    },
    { metering: "free" },
  );
  const run = runAgents(turns(2), { backend: free, day: dayWith(20, 10) });
  expect(await run.over()).toEqual(["free", "free"]);
});
