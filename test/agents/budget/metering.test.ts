import { expect, test } from "vitest";
import { unmeteredProblems } from "../../../src/app/run/owner/preflight.ts";
import type { AgentSpec } from "../../../src/contracts/agent.ts";
import type { Metering } from "../../../src/contracts/backend.ts";
import type { Budget } from "../../../src/contracts/budget.ts";
import type { Context } from "../../../src/contracts/ports/context.ts";
import { type PriceTable, priceOf, withPrice } from "../../../src/contracts/price.ts";
import { toUsage, type Usage } from "../../../src/contracts/usage.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { agent, runAgents } from "../agents-run.ts";
import { endOf, turns, using } from "./budget-run.ts";

const PRICES: PriceTable = {
  "vendor/small": { inputPerMTok: 1, outputPerMTok: 10, cachedPerMTok: 0.1 },
  "one/twin": { inputPerMTok: 1, outputPerMTok: 1 },
  "two/twin": { inputPerMTok: 2, outputPerMTok: 2 },
};

test("a turn whose use is not known counts with what it reserved, and the run says so once [LIM-1.turns, AGT-15, P17]", async () => {
  const run = runAgents(turns(20), { backend: using({}), limits: { budget: { cost: 1 } } });
  expect(await endOf(run)).toMatchObject({ outcome: "limit-reached" });
  // A tenth of the limit each.
  expect(run.all("turn-completed")).toHaveLength(10);
  expect(run.all("budget-settled")[0]).toMatchObject({
    amounts: { cost: 0.1, turns: 1 },
    assumed: { cost: 0.1 },
  });
  expect(run.all("budget-warned").filter(({ cause }) => cause === "unmeasured")).toMatchObject([
    { of: "run", agent: "a", meter: "cost", limit: 1 },
  ]);
  // What is shown as cost stays unknown.
  expect(run.owned.state.usage).toEqual({});
  expect(run.owned.state.budget.run).toMatchObject({ cost: expect.closeTo(1), isEstimate: true });
});

test("tokens that nobody told count with what was reserved as well, and of what is not limited nothing is assumed [LIM-1.turns]", async () => {
  const run = runAgents(turns(2), { backend: using({}), limits: { budget: { tokens: 1000 } } });
  expect(await endOf(run)).toMatchObject({ outcome: "completed" });
  expect(run.all("budget-settled").map(({ amounts, assumed }) => ({ amounts, assumed }))).toEqual(
    Array(2).fill({ amounts: { tokens: 100, turns: 1 }, assumed: { tokens: 100 } }),
  );
  expect(run.all("budget-warned")).toMatchObject([
    { cause: "unmeasured", of: "run", agent: "a", meter: "tokens", limit: 1000, spent: 100 },
  ]);
  const exact = runAgents(turns(1), {
    backend: using({ costUsd: 0.5 }, { metering: "exact" }),
    limits: { budget: { tokens: 1000 } },
  });
  await endOf(exact);
  expect(exact.all("budget-settled").map(({ amounts }) => amounts)).toEqual([
    { cost: 0.5, tokens: 0, turns: 1 },
  ]);
});

test("that use is not known is said of the budget that limits it [LIM-1.turns]", async () => {
  const program = async (context: Context): Promise<Json> => {
    await context.spawn(agent("a", { budget: { cost: 1, turns: 5 } }));
    return (await context.turn("a", "go")).text;
  };
  const run = runAgents(program, { backend: using({}), limits: { budget: { turns: 9 } } });
  await run.over();
  expect(run.all("budget-warned")).toMatchObject([
    { cause: "unmeasured", of: "agent", agent: "a", meter: "cost", limit: 1 },
  ]);
});

test("what a backend that tells everything does not tell costs nothing [LIM-1.turns]", async () => {
  const backend = using({}, { metering: "exact" });
  const run = runAgents(turns(12), { backend, limits: { budget: { cost: 1, tokens: 100 } } });
  expect(await endOf(run)).toMatchObject({ outcome: "completed" });
  expect(run.all("budget-warned")).toEqual([]);
});

test("tokens have the cost that the price of their model gives them [LIM-1.turns, AGT-15]", async () => {
  const backend = using({ inputTokens: 200_000, cachedTokens: 100_000, outputTokens: 10_000 });
  const program = async (context: Context): Promise<Json> => {
    await context.spawn(agent("a", { model: "vendor/small" }));
    return (await context.turn("a", "go")).usage.costUsd ?? null;
  };
  const run = runAgents(program, { backend, prices: PRICES, limits: { budget: { cost: 1 } } });
  expect(await run.over()).toBe(0.21);
  expect(run.owned.state.usage.costUsd).toBe(0.21);
  expect(run.all("budget-settled")[0]?.amounts.cost).toBe(0.21);
});

test("a price belongs to a model with or without its vendor, unless two vendors have it [AGT-15]", () => {
  const names = [
    "vendor/small",
    "small",
    "other/small",
    "twin",
    "one/twin",
    "__proto__",
    undefined,
  ];
  expect(names.map((name) => priceOf(PRICES, name)?.inputPerMTok)).toEqual([
    ...[1, 1, undefined, undefined, 1, undefined, undefined],
  ]);
  const price = PRICES["vendor/small"];
  expect(withPrice({}, price)).toEqual({});
  expect(withPrice({ inputTokens: 10, costUsd: 7 }, price)).toEqual({
    inputTokens: 10,
    costUsd: 7,
  });
});

test.each<[string, Usage, Usage]>([
  ["no numbers", { costUsd: Number.NaN, inputTokens: Number.NaN }, {}],
  ["less than nothing", { costUsd: -5, outputTokens: -1 }, {}],
  [
    "absurd amounts",
    { costUsd: 1e308, inputTokens: Infinity },
    { costUsd: 1e9, inputTokens: 1e12 },
  ],
])("a backend that tells %s does no harm [LIM-1.turns, T14]", async (_, told, kept) => {
  expect(toUsage(told)).toEqual(kept);
  const run = runAgents(turns(3), {
    backend: using(told),
    limits: { budget: { cost: 1, tokens: 50 } },
  });
  const end = await endOf(run);
  // Absurd amounts stop the run at once; unknown ones count with what was reserved.
  expect(end.outcome).toBe("costUsd" in kept ? "limit-reached" : "completed");
  const { cost, tokens } = run.owned.state.budget.run;
  expect([Number.isFinite(cost), Number.isFinite(tokens), cost >= 0, tokens >= 0]).toEqual([
    ...[true, true, true, true],
  ]);
});

const LIMITED: Budget = { cost: 1, tokens: 10 };

interface MeteringCase {
  readonly metering?: Metering;
  readonly budget: Budget;
  readonly spec?: Partial<AgentSpec>;
  readonly hints: readonly RegExp[];
}

test.each<MeteringCase>([
  { budget: LIMITED, hints: [] },
  { metering: "exact", budget: LIMITED, hints: [] },
  { metering: "free", budget: LIMITED, hints: [] },
  { metering: "tokens", budget: LIMITED, hints: [/name its model, and set its price/] },
  {
    metering: "tokens",
    budget: LIMITED,
    spec: { model: "big" },
    hints: [/set the price of "big" under prices/],
  },
  { metering: "tokens", budget: LIMITED, spec: { model: "small" }, hints: [] },
  { metering: "tokens", budget: { tokens: 10 }, hints: [] },
  {
    metering: "none",
    budget: LIMITED,
    spec: { model: "small" },
    hints: [/limit turns/, /limit turns/],
  },
  { metering: "none", budget: { turns: 3 }, hints: [] },
])(
  "a backend is refused only for a limit that could not be kept: $metering under $budget [LIM-1.turns]",
  (given) => {
    const { metering, budget, hints } = given;
    const spec = agent("a", given.spec);
    const problems = unmeteredProblems(
      { spec, metering, stepBudgets: [] },
      { budget, pricing: ({ model }) => priceOf(PRICES, model) },
    );
    expect(problems.map(({ hint }) => hint)).toEqual(
      hints.map((hint) => expect.stringMatching(hint)),
    );
  },
);
