import { describe, expect, test } from "vitest";
import { withConfiguredBudget } from "../../../src/app/machine/effective/effective-config.ts";
import { readBudget } from "../../../src/cli/prepare/read-budget.ts";
import type { TurnUpdate } from "../../../src/contracts/backend.ts";
import type { Budget } from "../../../src/contracts/budget.ts";
import type { Context } from "../../../src/contracts/ports/context.ts";
import type { RunLimits } from "../../../src/contracts/run.ts";
import { systemClock } from "../../../src/foundation/clock.ts";
import { present } from "../../../src/foundation/present.ts";
import {
  defineTestWorkflow,
  type TestWorkflow,
} from "../../../src/testing/define-test-workflow.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import { agent, playedBackend, runAgents, said } from "../agents-run.ts";
import { type Part, runCast, says } from "../collab/collab-run.ts";
import { endOf } from "./budget-run.ts";

const TIMES = 12;

function failing(code: string): TurnUpdate {
  return { type: "error", error: { code, message: "no way", retryable: false } };
}

/** Wakes an agent again and again, as two others do who answer each other. */
async function wakeAgain(context: Context): Promise<null> {
  await context.spawn(agent("c", { session: "keep" }));
  for (let time = 1; time <= TIMES; time += 1) {
    await context.post({ text: `@c once more, ${time}` });
    await context.quiescent({ quietMs: 0 });
  }
  return null;
}

function woken(play: (turn: number) => TurnUpdate, limits: RunLimits = { failures: 5 }) {
  let turns = 0;
  const backend = playedBackend(async function* () {
    turns += 1;
    yield play(turns);
  });
  const store = createCuttableStore();
  const options = { backend, isMessageDriven: true, store, clock: systemClock };
  return { run: runAgents(wakeAgain, { ...options, limits }), options };
}

const LIMIT = {
  outcome: "limit-reached",
  exitCode: 5,
  resumable: true,
  reason: 'stopped after 5 failed turns in a row of agent "c" (limits.failures) — nothing lost',
  error: { code: "LIMIT_FAILURES" },
};

test.each<readonly [string, TurnUpdate]>([
  ["ends with an error", failing("BACKEND_COMMAND_FAILED")],
  ["says FAILED", said("FAILED: no way")],
  ["says BLOCKED", said("BLOCKED: no key")],
])(
  "an agent that is woken again and again and always %s ends the run, resumable, and begins nothing more [LIM-3.brake, LIM-3.resumable]",
  async (_how, update) => {
    const { run } = woken(() => update);
    expect(await endOf(run)).toMatchObject(LIMIT);
    // Messages that it fails at are given to it five times each.
    const failures = new Set(run.all("turn-started").map(({ items }) => JSON.stringify(items)));
    expect(failures.size).toBe(5);
  },
);

test.each<readonly [string, (turn: number) => TurnUpdate, RunLimits]>([
  [
    "with a success in between",
    (turn) => (turn % 3 === 0 ? said("ok") : failing("X")),
    { failures: 5 },
  ],
  ["of limits", () => failing("LIMIT_TURNS"), { failures: 5 }],
  ["of agents that somebody has interrupted", () => failing("AGENT_INTERRUPTED"), { failures: 5 }],
  ["in a run that was begun without a limit of them", () => failing("X"), {}],
])("failures %s end no run [LIM-3.uncounted, LIM-3.resumable]", async (_which, play, limits) => {
  const { run } = woken(play, limits);
  await run.over();
  expect(run.all("turn-started").length).toBeGreaterThan(TIMES);
});

test("the next owner counts anew, by the number that it is given [LIM-3.resumable, LIM-3.set]", async () => {
  const { run, options } = woken(() => failing("X"));
  await endOf(run);
  const again = runAgents(wakeAgain, { ...options, limits: { failures: 2 } });
  expect(await endOf(again)).toMatchObject({ error: { code: "LIMIT_FAILURES" } });
  const failures = new Set(again.all("turn-started").map(({ items }) => JSON.stringify(items)));
  expect(failures.size).toBe(2);
});

test("what a person says begins the count again [LIM-3.uncounted]", async () => {
  let turns = 0;
  const backend = playedBackend(async function* () {
    turns += 1;
    if (turns % 4 === 0)
      await run.owned.command({ kind: "send", text: "go on", key: `key-${turns}` }, "ann");
    yield failing("X");
  });
  const run = runAgents(wakeAgain, {
    backend,
    isMessageDriven: true,
    clock: systemClock,
    limits: { failures: 5 },
  });
  await run.over();
  expect(run.all("turn-started").length).toBeGreaterThan(TIMES);
});

describe("an agent that spawns others", () => {
  /** Waits for each of them before it spawns the next. */
  function lead(prompt: (time: number) => string): Part {
    return async (call) => {
      for (let time = 1; time <= TIMES; time += 1) {
        const { id } = await call("spawn_agent", { prompt: prompt(time), name: `k${time}` });
        if (typeof id !== "string") return "no more";
        await call("wait", { ids: [id] });
        await call("close_agent", { id });
      }
      return "done";
    };
  }

  function cast(prompt: (time: number) => string) {
    const kids = Array.from({ length: TIMES }, (_, index) => [
      `k${index + 1}`,
      [says("FAILED: no way")],
    ]);
    return { lead: [lead(prompt)], ...Object.fromEntries(kids) };
  }

  test("with the same task, which always fails, ends the run as the same agent would [LIM-3.brake, LIM-3.modes]", async () => {
    const run = runCast(
      cast(() => "Fix it"),
      { limits: { failures: 5 } },
    );
    await run.clock.advance(5000);
    await run.clock.advance(5000);
    const kids = run.all("turn-started").filter(({ agent: id }) => id !== "lead");
    expect(kids).toHaveLength(5);
    await run.owned.command({ kind: "cancel", reason: "enough" }, "ann").catch(() => {});
  });

  test("with other tasks each time has handled what failed [LIM-3.uncounted]", async () => {
    const run = runCast(
      cast((time) => `Fix number ${time}`),
      { limits: { failures: 5 } },
    );
    for (let looks = 0; looks < 20; looks += 1) await run.clock.advance(1000);
    const kids = run.all("turn-started").filter(({ agent: id }) => id !== "lead");
    expect(kids.length).toBeGreaterThan(5);
    await run.stop();
  });
});

test("flag, configuration and code say how many, in this order; what counts for a run counts for no agent [LIM-3.set]", async () => {
  const flag = readBudget({ maxFailures: "3" });
  expect(flag).toEqual({ failures: 3 });
  const configured = withConfiguredBudget(defineTestWorkflow({ agents: [{ id: "a" }] }), {
    limits: { failures: 4 },
  });
  const failuresOf = async (workflow: TestWorkflow, budget?: Budget) => {
    const turns = { a: [{ say: "DONE: ok" }] };
    const run = await runWorkflowInMemory(
      { steps: [{ id: "a" }], ...workflow },
      { turns, ...present({ budget }) },
    );
    return run.state.run.limits;
  };
  const agents = [{ id: "a" }];
  expect(await failuresOf({ agents })).toMatchObject({ failures: 5 });
  expect(await failuresOf({ agents, ...present({ budget: configured.budget }) })).toMatchObject({
    failures: 4,
  });
  expect(
    await failuresOf({ agents, ...present({ budget: configured.budget }) }, flag),
  ).toMatchObject({
    failures: 3,
  });
  await expect(failuresOf({ agents: [{ id: "a", budget: flag }] })).rejects.toMatchObject({
    code: "LIMIT_INVALID",
  });
});
