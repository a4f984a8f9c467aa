import { expect, test } from "vitest";
import type { Budget } from "../../../src/contracts/budget.ts";
import type { Context } from "../../../src/contracts/ports/context.ts";
import type { RunStore } from "../../../src/contracts/ports/store.ts";
import type { Usage } from "../../../src/contracts/usage.ts";
import { delay } from "../../../src/foundation/abort.ts";
import { toErrorReport } from "../../../src/foundation/errors.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { seededRandom } from "../../../src/foundation/random.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import { type AgentsRun, agent, playedBackend, runAgents, said } from "../agents-run.ts";
import { type Cast, callerOf, type Part, says } from "./collab-run.ts";

const at = (id: string, path = id) => ({ step: { id, path, execution: 1, attempt: 1 } });

const TURN: Usage = { inputTokens: 100, costUsd: 0.1 };
const spawn = { prompt: "work" };

/** A backend whose agents play their parts, every turn of which takes the same. */
function paidBackend(cast: Cast) {
  return playedBackend(async function* (request) {
    const part = cast[request.agent]?.[request.turn - 1] ?? says("ok");
    const text = await part(callerOf(request), request);
    yield { type: "usage", usage: TURN };
    yield said(text);
  });
}

interface StepRun {
  readonly budgets?: { readonly [step: string]: Budget };
  readonly store?: RunStore;
  readonly maxDepth?: number;
}

/** Leads `lead` through a turn of each step, and tells what became of each. */
function runSteps(
  cast: Cast,
  steps: readonly ReturnType<typeof at>[],
  { budgets = {}, store = createCuttableStore(), maxDepth = 1 }: StepRun = {},
): AgentsRun {
  const program = async (context: Context): Promise<Json> => {
    await context.spawn(agent("lead", { session: "keep", spawns: true }));
    const told: string[] = [];
    for (const step of steps)
      told.push(
        await context.turn("lead", "go", step).then(
          ({ text }) => text,
          (error: unknown) => toErrorReport(error).code,
        ),
      );
    return told;
  };
  const stepBudgets = new Map(Object.entries(budgets));
  return runAgents(program, {
    ...{ backend: paidBackend(cast), store, stepBudgets },
    spawnLimits: { maxDepth },
  });
}

const spawnAndWait: Part = async (call) => {
  await call("spawn_agent", spawn);
  await call("wait");
  return "done";
};

test("what an agent and all below it use counts for the step that its parent works at, and for those around [COL-10]", async () => {
  const run = runSteps(
    { lead: [spawnAndWait], "worker-1": [spawnAndWait] },
    [at("draft", "refine[2]/draft"), at("other")],
    { budgets: { draft: { tokens: 1000 } }, maxDepth: 2 },
  );
  expect(await run.over()).toEqual(["done", "ok"]);
  const { steps } = run.owned.state.budget;
  const three = { turns: 3, tokens: 300, cost: expect.closeTo(0.3) };
  expect(steps.get("draft")).toMatchObject(three);
  expect(steps.get("refine")).toMatchObject(three);
  expect(steps.get("other")).toMatchObject({ turns: 1, tokens: 100 });
  expect(
    run.all("budget-reserved").map(({ agent: id, step, around }) => [id, step, around]),
  ).toEqual(["lead", "worker-1", "worker-2"].map((id) => [id, "draft", ["refine"]]));
});

test("the limit of a step stops the agents that are spawned in it, and whoever works at it next [COL-10, LIM-1.turns]", async () => {
  const seen: unknown[] = [];
  const lead: Part = async (call) => {
    await call("spawn_agent", spawn);
    await call("wait");
    await call("send_input", { id: "worker-1", prompt: "more" });
    seen.push((await call("wait"))["statuses"]);
    return "done";
  };
  const run = runSteps({ lead: [lead] }, [at("code"), at("code"), at("test")], {
    budgets: { code: { turns: 2 } },
  });
  expect(await run.over()).toEqual(["done", "LIMIT_TURNS", "ok"]);
  expect(seen).toEqual([{ "worker-1": expect.objectContaining({ status: "errored" }) }]);
  expect(run.all("budget-exceeded")).toEqual([
    expect.objectContaining({ of: "step", step: "code", agent: "worker-1", limit: 2, spent: 2 }),
  ]);
});

test("an agent that is spoken to again counts for the step in which that is [COL-10]", async () => {
  const again: Part = async (call) => {
    await call("send_input", { id: "worker-1", prompt: "more" });
    await call("wait", { ids: ["worker-1"] });
    await call("close_agent", { id: "worker-1" });
    await call("resume_agent", { id: "worker-1", prompt: "and more" });
    await call("wait", { ids: ["worker-1"] });
    return "done";
  };
  const run = runSteps({ lead: [spawnAndWait, again] }, [at("one"), at("two")]);
  expect(await run.over()).toEqual(["done", "done"]);
  const { steps } = run.owned.state.budget;
  expect([steps.get("one")?.turns, steps.get("two")?.turns]).toEqual([2, 3]);
});

test("cut off at any commit, a step counts what its agents used once, and what nobody knows as reserved [COL-10, LIM-1.turns]", async () => {
  const cast = { lead: [spawnAndWait, spawnAndWait] };
  const steps = [at("one"), at("two")];
  const budgets = { one: { tokens: 2000 }, two: { tokens: 2000 } };
  const store = createCuttableStore();
  await runSteps(cast, steps, { store, budgets }).over();
  // With the last one the run is over.
  for (const seq of store.commits("run_agents").slice(0, -1)) {
    const cut = await store.cutAfter("run_agents", seq);
    const run = runSteps(cast, steps, { store: cut, budgets });
    expect(await run.over()).toEqual(["done", "done"]);
    const { budget, usage, agents } = run.owned.state;
    expect([...agents.keys()]).toEqual(["lead", "worker-1", "worker-2"]);
    const [one, two] = [budget.steps.get("one"), budget.steps.get("two")];
    expect([seq, one?.turns, two?.turns]).toEqual([seq, 2, 2]);
    const told = usage.inputTokens ?? 0;
    const assumed = assumedIn(cut);
    expect((one?.tokens ?? 0) + (two?.tokens ?? 0)).toBeCloseTo(told + assumed);
    expect(budget.reservations.size).toBe(0);
  }
});

function assumedIn(store: RunStore): number {
  const events = [...store.open("run_agents", "read").read()];
  return events.reduce(
    (sum, event) => sum + (event.type === "budget-settled" ? (event.assumed?.tokens ?? 0) : 0),
    0,
  );
}

const SCHEDULES = 20;
const CAP_USD = 1;

test("agents that are spawned side by side go beyond the limit of their step by what their last turns take too much, at most [COL-10, LIM-1.turns]", async () => {
  for (let seed = 0; seed < SCHEDULES; seed += 1) {
    const run = await race(`step ${seed}`);
    const reserved = new Map(
      run
        .all("budget-reserved")
        .map(({ reservation, amounts }) => [reservation, amounts.cost ?? 0]),
    );
    const last = new Map(
      run.all("budget-settled").map((settled) => [settled.agent, settled] as const),
    );
    const excess = [...last.values()].reduce(
      (sum, { reservation, amounts }) =>
        sum + Math.max(0, (amounts.cost ?? 0) - (reserved.get(reservation) ?? 0)),
      0,
    );
    const spent = run.owned.state.budget.steps.get("wave")?.cost ?? 0;
    expect(spent).toBeCloseTo(run.owned.state.budget.run.cost, 9);
    expect([seed, spent > CAP_USD - 0.2, spent <= CAP_USD + excess + 1e-9]).toEqual([
      seed,
      true,
      true,
    ]);
    expect(run.all("budget-exceeded")).toEqual([
      expect.objectContaining({ of: "step", step: "wave" }),
    ]);
  }
});

/** A lead with eight agents that it gives more and more to do, until the limit of their step has stopped all. */
async function race(seed: string): Promise<AgentsRun> {
  const clock = createManualClock();
  const random = seededRandom(seed);
  const names = Array.from({ length: 8 }, (_, index) => `w${index}`);
  const backend = playedBackend(async function* (request) {
    if (request.agent === "lead") {
      const call = callerOf(request);
      for (const name of names) await call("spawn_agent", { prompt: "work", name });
      for (let round = 0; round < 4; round += 1) {
        await call("wait", { timeout_ms: 3_000_000 });
        for (const id of names) await call("send_input", { id, prompt: "more" });
      }
      await call("wait", { timeout_ms: 3_000_000 });
      yield said("done");
      return;
    }
    await delay(clock, 1 + random() * 100, request.signal);
    yield { type: "usage", usage: { costUsd: 0.01 + random() * 0.15 } };
    yield said("ok");
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("lead", { session: "keep", spawns: true }));
      return (await context.turn("lead", "go", at("wave"))).text;
    },
    { backend, clock, stepBudgets: new Map([["wave", { cost: CAP_USD }]]) },
  );
  while (await clock.advanceToNext());
  await run.over();
  return run;
}
