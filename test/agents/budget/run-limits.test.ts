import { expect, test } from "vitest";
import type { Budget } from "../../../src/contracts/budget.ts";
import type { Context } from "../../../src/contracts/ports/context.ts";
import { rejectOnAbort } from "../../../src/foundation/abort.ts";
import { toErrorReport } from "../../../src/foundation/errors.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { createManualClock, settle } from "../../../src/testing/manual-clock.ts";
import {
  type AgentsRun,
  type AgentsRunOptions,
  agent,
  gate,
  playedBackend,
  runAgents,
  said,
} from "../agents-run.ts";
import { endOf, turns, using } from "./budget-run.ts";

function start(count: number, budget: Budget, options: Partial<AgentsRunOptions> = {}): AgentsRun {
  const backend = using({ inputTokens: 100, outputTokens: 20, costUsd: 0.5 });
  return runAgents(turns(count), { backend, limits: { budget }, ...options });
}

test.each<{ budget: Budget; code: string; message: string; done: number }>([
  { budget: { cost: 1 }, code: "LIMIT_COST", message: "$1.00 (max_cost)", done: 2 },
  { budget: { tokens: 240 }, code: "LIMIT_TOKENS", message: "240 tokens (max_tokens)", done: 2 },
  { budget: { turns: 3 }, code: "LIMIT_TURNS", message: "3 turns (max_turns)", done: 3 },
])(
  "a run that has used up $budget ends resumable as limit-reached, with what is done [LIM-1.turns, ENG-11]",
  async ({ budget, code, message, done }) => {
    const run = start(5, budget);
    const reason = `stopped at ${message} at agent "a", turn ${done + 1} — nothing lost`;
    expect(await endOf(run)).toMatchObject({
      outcome: "limit-reached",
      exitCode: 5,
      resumable: true,
      reason,
      error: { code, message: reason },
    });
    expect(run.all("turn-completed")).toHaveLength(done);
    expect(run.all("budget-exceeded")).toHaveLength(1);
    const settled = run.all("operation-settled").filter(({ op }) => op.startsWith("turn"));
    expect(settled).toHaveLength(done);
  },
);

test("a run goes on where it stopped with a higher limit, and counts each turn once [LIM-1.turns]", async () => {
  const store = createCuttableStore();
  const first = start(5, { cost: 1 }, { store });
  expect(await endOf(first)).toMatchObject({ outcome: "limit-reached" });
  const again = start(5, { cost: 1 }, { store });
  expect(await endOf(again)).toMatchObject({ outcome: "limit-reached" });
  expect(again.all("turn-started")).toEqual([]);
  const second = start(5, { cost: 10 }, { store });
  expect(await endOf(second)).toMatchObject({ outcome: "completed" });
  expect(second.owned.state.budget.run).toMatchObject({ cost: 2.5, tokens: 600, turns: 5 });
  expect(second.owned.state.usage).toEqual({ inputTokens: 500, outputTokens: 100, costUsd: 2.5 });
  expect([...first.all("turn-started"), ...second.all("turn-started")]).toHaveLength(5);
});

test("a turn reserves before it starts and is settled with its end, in one group each [LIM-1.turns]", async () => {
  const run = start(2, { cost: 10, tokens: 5000 });
  await endOf(run);
  const told = run.events.filter(
    ({ type }) => type.startsWith("budget") || type.startsWith("turn"),
  );
  expect(told.map(({ type }) => type)).toEqual([
    ...["budget-reserved", "turn-started", "budget-settled", "turn-completed"],
    ...["budget-reserved", "turn-started", "budget-settled", "turn-completed"],
  ]);
  expect(run.all("budget-reserved").map(({ amounts }) => amounts)).toEqual([
    { cost: 1, tokens: 500, turns: 1 },
    // What the agent's turn before has taken.
    { cost: 0.5, tokens: 120, turns: 1 },
  ]);
  expect(run.all("budget-settled").map(({ amounts }) => amounts)).toEqual([
    { cost: 0.5, tokens: 120, turns: 1 },
    { cost: 0.5, tokens: 120, turns: 1 },
  ]);
});

test("a run without limits reserves nothing, and a limit that comes later counts what was before [LIM-1.turns]", async () => {
  const store = createCuttableStore();
  const backend = using({ costUsd: 0.5 });
  const first = runAgents(turns(4), { backend, store });
  await first.over();
  expect(first.events.filter(({ type }) => type.startsWith("budget"))).toEqual([]);
  const cut = await store.cutAfter("run_agents", first.all("turn-completed")[1]?.seq ?? 0);
  const second = runAgents(turns(4), { backend, store: cut, limits: { budget: { cost: 1 } } });
  expect(await endOf(second)).toMatchObject({ outcome: "limit-reached" });
  expect(second.owned.state.budget.run.cost).toBe(1);
});

test("people and agents are warned once of each limit that comes near [LIM-1.turns]", async () => {
  const backend = using({ costUsd: 0.3 });
  const run = runAgents(turns(5), {
    backend,
    limits: { budget: { cost: 2, turns: 8, soft: 0.5 } },
  });
  expect(await endOf(run)).toMatchObject({ outcome: "completed" });
  expect(run.all("budget-warned")).toMatchObject([
    { of: "run", cause: "soft", meter: "cost", limit: 2, spent: expect.closeTo(1.2) },
    { of: "run", cause: "soft", meter: "turns", limit: 8, spent: 4 },
  ]);
  const notice = "[budget] the run: $1.20 of $2.00 used, $0.80 left.";
  expect(backend.prompts.map(({ prompt }) => prompt.includes(notice))).toEqual([
    ...[false, false, false, false],
    true,
  ]);
  expect(backend.prompts[4]?.task).toBe("go");
});

test("a run ends at the limit of its own time, with its turns cut off and kept [LIM-1.turns, ENG-7.outer]", async () => {
  const clock = createManualClock();
  const backend = playedBackend(async function* ({ signal }) {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    yield { type: "stop", reason: "cancelled" };
  });
  const run = runAgents(turns(1), { backend, clock, limits: { budget: { wallClockMs: 60_000 } } });
  await settle();
  await clock.advance(48_000);
  expect(run.all("budget-warned")).toMatchObject([{ meter: "wallClock", spent: 48_000 }]);
  await clock.advance(12_000);
  const end = await endOf(run);
  expect(end).toMatchObject({
    outcome: "limit-reached",
    resumable: true,
    reason: "stopped at 1m00s (max_time) — nothing lost",
    error: {
      code: "LIMIT_TIME",
      hint: "continue with more: troupe resume run_agents --max-time 120s",
    },
  });
  expect(run.all("turn-interrupted")).toMatchObject([{ reason: "suspended" }]);
});

test("the time of a run counts over all its owners: it is warned of once, where it is near, and nothing begins when it is over [LIM-1.turns, ENG-2]", async () => {
  const clock = createManualClock();
  const store = createCuttableStore();
  const own = (budget: Budget) => {
    const backend = playedBackend(async function* ({ signal }) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      yield { type: "stop", reason: "cancelled" };
    });
    return runAgents(turns(1), { backend, clock, store, limits: { budget } });
  };
  const letGo = async (run: AgentsRun) => {
    run.owned.interrupt(130);
    await run.owned.parted;
  };
  const spentAt = (run: AgentsRun) => run.all("budget-warned").map(({ spent }) => spent);
  const first = own({ wallClockMs: 60_000 });
  await clock.advance(40_000);
  await letGo(first);
  const second = own({ wallClockMs: 60_000 });
  await clock.advance(7_999);
  expect(spentAt(second)).toEqual([]);
  await clock.advance(1);
  expect(spentAt(second)).toEqual([48_000]);
  await letGo(second);
  const third = own({ wallClockMs: 60_000 });
  await clock.advance(11_999);
  expect([spentAt(third), third.all("budget-exceeded")]).toEqual([[], []]);
  await clock.advance(1);
  expect(await endOf(third)).toMatchObject({ error: { code: "LIMIT_TIME" } });
  const fourth = own({ wallClockMs: 60_000 });
  expect(await endOf(fourth)).toMatchObject({ error: { code: "LIMIT_TIME" } });
  expect(fourth.all("turn-started")).toEqual([]);
});

test("a limit that is lowered for the rest of the run is warned of before anything begins, of agents too [LIM-1.turns]", async () => {
  const store = createCuttableStore();
  const program = async (context: Context): Promise<Json> => {
    await context.spawn(agent("a", { budget: { turns: 2, soft: 0.5 } }));
    await context.turn("a", "go");
    await context.approval({ message: "Go on?" });
    return null;
  };
  const backend = using({ costUsd: 0.5 });
  const first = runAgents(program, { backend, store, limits: { budget: { cost: 9 } } });
  await settle();
  first.owned.interrupt(130);
  await first.owned.parted;
  expect(first.all("budget-warned")).toMatchObject([{ of: "agent", agent: "a", meter: "turns" }]);
  const second = runAgents(program, { backend, store, limits: { budget: { cost: 0.6 } } });
  await settle();
  expect(second.all("budget-warned")).toMatchObject([{ of: "run", meter: "cost", limit: 0.6 }]);
  second.owned.interrupt(130);
  await second.owned.parted;
});

test("an agent that may post no more is told so, and the run stops when its turn is over [LIM-1.turns]", async () => {
  const answers: string[] = [];
  const backend = playedBackend(async function* ({ client }) {
    for (const text of ["one", "two", "three"])
      await client.post({ text }).then(
        () => answers.push("posted"),
        (error: unknown) => answers.push(toErrorReport(error).code),
      );
    yield said("talked");
  });
  const run = runAgents(turns(2), { backend, limits: { budget: { messages: 2 } } });
  expect(await endOf(run)).toMatchObject({
    outcome: "limit-reached",
    error: { code: "LIMIT_MESSAGES" },
  });
  expect(answers).toEqual(["posted", "posted", "LIMIT_MESSAGES"]);
  expect(run.all("turn-completed")).toHaveLength(1);
});

test("an agent too many is not spawned until the run goes on with a higher limit [LIM-1.turns, T14]", async () => {
  const store = createCuttableStore();
  const program = async (context: Context): Promise<Json> => {
    for (const id of ["a", "b", "c"]) await context.spawn(agent(id));
    return "spawned";
  };
  const backend = using({});
  const first = runAgents(program, { backend, store, limits: { budget: { agents: 2 } } });
  expect(await endOf(first)).toMatchObject({
    outcome: "limit-reached",
    error: { code: "LIMIT_AGENTS" },
  });
  expect(first.all("agent-spawned")).toHaveLength(2);
  const second = runAgents(program, { backend, store, limits: { budget: { agents: 3 } } });
  expect(await second.over()).toBe("spawned");
});

test("of agents that are spawned side by side none begins beyond the limit, and that is told once [LIM-1.turns, T14]", async () => {
  const program = async (context: Context): Promise<Json> => {
    await Promise.all(["a", "b", "c", "d"].map((id) => context.spawn(agent(id))));
    return "spawned";
  };
  const run = runAgents(program, { backend: using({}), limits: { budget: { agents: 1 } } });
  expect(await endOf(run)).toMatchObject({
    error: {
      code: "LIMIT_AGENTS",
      message: 'stopped at 1 agent (max_agents) at agent "b" — nothing lost',
    },
  });
  expect(run.all("agent-spawned")).toHaveLength(1);
  expect(run.all("budget-exceeded")).toHaveLength(1);
});

test("what the program itself has begun is done before a run ends at its limit [LIM-1.turns]", async () => {
  const checking = gate();
  const program = async (context: Context): Promise<Json> => {
    await context.spawn(agent("a"));
    const check = context.step("check", ({ signal }) =>
      Promise.race([checking.opened.then(() => "checked"), rejectOnAbort(signal).promise]),
    );
    await context.turn("a", "go");
    return [await context.turn("a", "go").then(() => "done"), await check];
  };
  const run = runAgents(program, { backend: using({}), limits: { budget: { turns: 1 } } });
  await settle();
  expect(run.all("budget-exceeded")).toHaveLength(1);
  expect(run.all("run-ended")).toEqual([]);
  checking.open();
  expect(await endOf(run)).toMatchObject({ outcome: "limit-reached" });
  expect(run.all("operation-settled")).toContainEqual(
    expect.objectContaining({ op: "step#1", outcome: { status: "ok", value: "checked" } }),
  );
});

test("a run that is cancelled while turns wait for room ends as cancelled [LIM-1.turns, ENG-6]", async () => {
  const backend = playedBackend(async function* ({ signal }) {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    yield { type: "stop", reason: "cancelled" };
  });
  const program = async (context: Context): Promise<Json> => {
    const ids = Array.from({ length: 15 }, (_, index) => `w${index}`);
    await Promise.all(ids.map((id) => context.spawn(agent(id))));
    await Promise.all(ids.map((id) => context.turn(id, "go")));
    return null;
  };
  const run = runAgents(program, { backend, limits: { budget: { cost: 1 } } });
  await settle();
  expect(run.all("turn-started")).toHaveLength(10);
  await run.owned.command({ kind: "cancel", reason: "enough" }, "user");
  expect(await endOf(run)).toMatchObject({ outcome: "cancelled" });
  expect(run.owned.state.budget.reservations.size).toBe(0);
});
