import { expect, test } from "vitest";
import type { TurnUpdate } from "../../../src/contracts/backend.ts";
import type { Context } from "../../../src/contracts/ports/context.ts";
import type { Usage } from "../../../src/contracts/usage.ts";
import { toErrorReport } from "../../../src/foundation/errors.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { createManualClock, settle } from "../../../src/testing/manual-clock.ts";
import { agent, gate, playedBackend, runAgents, said } from "../agents-run.ts";
import { endOf, turns, using } from "./budget-run.ts";

const step = (id: string) => ({ step: { id, path: id, execution: 1, attempt: 1 } });

/** What a turn said, or the code of its error. */
async function tried(turn: Promise<{ readonly text: string }>): Promise<string> {
  try {
    return (await turn).text;
  } catch (error) {
    const { code, retryable } = toErrorReport(error);
    return retryable === true ? `${code}, retryable` : code;
  }
}

test("an agent that has used up its own budget fails its next turns, and the others go on [LIM-1.turns]", async () => {
  const program = async (context: Context): Promise<Json> => {
    await context.spawn(agent("a", { budget: { turns: 1 } }));
    await context.spawn(agent("b"));
    const asked = ["a", "a", "b", "a", "b"];
    const said: string[] = [];
    for (const id of asked) said.push(await tried(context.turn(id, "go")));
    return said;
  };
  const run = runAgents(program, { backend: using({}) });
  const limited = "LIMIT_TURNS";
  expect(await run.over()).toEqual(["turn 1", limited, "turn 1", limited, "turn 2"]);
  expect(run.all("budget-exceeded")).toMatchObject([
    { of: "agent", agent: "a", meter: "turns", limit: 1, spent: 1, turn: 2 },
  ]);
});

test("a step that has used up its budget fails, whoever works at it [LIM-1.turns]", async () => {
  const program = async (context: Context): Promise<Json> => {
    for (const id of ["a", "b"]) await context.spawn(agent(id));
    const said: string[] = [];
    for (const [id, at] of [
      ["a", "code"],
      ["b", "code"],
      ["b", "test"],
    ] as const)
      said.push(await tried(context.turn(id, "go", step(at))));
    return said;
  };
  const stepBudgets = new Map([["code", { cost: 0.4 }]]);
  const run = runAgents(program, { backend: using({ costUsd: 0.5 }), stepBudgets });
  expect(await run.over()).toEqual(["turn 1", "LIMIT_COST", "turn 1"]);
  expect(run.all("budget-exceeded")).toMatchObject([{ of: "step", step: "code", meter: "cost" }]);
  expect(run.owned.state.budget.steps.get("code")).toMatchObject({ cost: 0.5, turns: 1 });
});

/** A turn that tells of its use and then works on until it is told to end. */
async function* working(usage: Usage, signal: AbortSignal): AsyncIterable<TurnUpdate> {
  yield { type: "text-delta", text: "half" };
  yield { type: "usage", usage };
  yield { type: "tool-call", call: "1", tool: "Bash", input: {} };
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
  yield { type: "stop", reason: "cancelled" };
}

test("a turn that goes on beyond a limit of the run is cut off and started again later [LIM-1.turns, P17]", async () => {
  const store = createCuttableStore();
  const backend = playedBackend(({ signal }) => working({ costUsd: 1.5 }, signal));
  const first = runAgents(turns(1), { backend, store, limits: { budget: { cost: 1 } } });
  expect(await endOf(first)).toMatchObject({
    outcome: "limit-reached",
    reason: 'stopped at $1.00 (max_cost) at agent "a", turn 1 — nothing lost',
  });
  expect(first.all("turn-interrupted")).toMatchObject([
    { reason: "suspended", usage: { costUsd: 1.5 } },
  ]);
  const second = runAgents(turns(1), {
    backend: using({ costUsd: 0.5 }),
    store,
    limits: { budget: { cost: 4 } },
  });
  expect(await second.over()).toEqual(["turn 1"]);
  expect(second.all("turn-started")).toMatchObject([{ turn: 1, attempt: 2 }]);
  // What the turn had used before it was cut off was paid for, too; yet it is one turn.
  expect(second.owned.state.budget.run).toMatchObject({ cost: 2, turns: 1 });
  expect(second.owned.state.usage).toEqual({ costUsd: 2 });
});

test("a turn that goes on beyond a limit of its agent fails with what it has said [LIM-1.turns]", async () => {
  const backend = playedBackend(({ signal }) => working({ inputTokens: 900 }, signal));
  const program = async (context: Context): Promise<Json> => {
    await context.spawn(agent("a", { budget: { tokens: 500 } }));
    return tried(context.turn("a", "go"));
  };
  const run = runAgents(program, { backend });
  expect(await run.over()).toBe("LIMIT_TOKENS");
  expect(run.all("turn-failed")).toMatchObject([{ text: "half", usage: { inputTokens: 900 } }]);
});

test("a turn that tells with its end that it went beyond a limit is kept [LIM-1.turns]", async () => {
  const run = runAgents(turns(1), {
    backend: using({ costUsd: 5 }),
    limits: { budget: { cost: 1 } },
  });
  expect(await run.over()).toEqual(["turn 1"]);
  expect(run.all("budget-exceeded")).toEqual([]);
});

test("a turn ends when the time of its agent is over, without the time it waits for people [LIM-1.turns, WF-10.budget, ENG-7.running]", async () => {
  const clock = createManualClock();
  const backend = playedBackend(async function* ({ signal, client }) {
    await client.ask("may I?");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    yield { type: "stop", reason: "cancelled" };
  });
  const program = async (context: Context): Promise<Json> => {
    await context.spawn(agent("a", { budget: { wallClockMs: 10_000 } }));
    return [await tried(context.turn("a", "go")), await tried(context.turn("a", "go"))];
  };
  const run = runAgents(program, { backend, clock });
  await settle();
  await clock.advance(3_600_000);
  const [question] = run.all("question-asked");
  await run.owned.command(
    { kind: "answer-question", id: question?.id ?? "", answer: "yes" },
    "user",
  );
  await clock.advance(9_999);
  expect(run.all("turn-failed")).toEqual([]);
  await clock.advance(1);
  expect(await run.over()).toEqual(["LIMIT_TIME", "LIMIT_TIME"]);
  expect(run.all("budget-settled")).toMatchObject([{ workedMs: 10_000 }]);
});

test("messages for an agent without a turn left go to the dead letters [LIM-1.turns, MSG-3]", async () => {
  const program = async (context: Context): Promise<Json> => {
    await context.spawn(agent("a", { session: "keep", budget: { turns: 1 } }));
    await context.post({ text: "one", to: ["a"] });
    await context.quiescent({ quietMs: 0 });
    await context.post({ text: "two", to: ["a"] });
    await context.quiescent({ quietMs: 0 });
    return null;
  };
  const clock = createManualClock();
  const run = runAgents(program, { backend: using({}), clock });
  while (await clock.advanceToNext());
  await run.over();
  expect(run.all("turn-completed")).toHaveLength(1);
  expect(run.all("message-dead")).toHaveLength(1);
});

test("a turn that does not fit waits for the others, but not for those that wait for a person [LIM-1.turns]", async () => {
  const answered = gate();
  const backend = playedBackend(async function* ({ agent: id, client }) {
    if (id === "asker") await client.ask("what now?");
    else await answered.opened;
    yield { type: "usage", usage: { costUsd: 0.2 } };
    yield said(id);
  });
  const program = async (context: Context): Promise<Json> => {
    const ids = ["asker", ...Array.from({ length: 12 }, (_, index) => `w${index}`)];
    for (const id of ids) await context.spawn(agent(id));
    return (await Promise.all(ids.map((id) => tried(context.turn(id, "go"))))).length;
  };
  const run = runAgents(program, { backend, limits: { budget: { cost: 10 } } });
  await settle();
  // A tenth of the limit each: ten at once, one of which waits for a person.
  expect(run.all("turn-started")).toHaveLength(10);
  answered.open();
  await settle();
  expect(run.all("turn-completed")).toHaveLength(12);
  const [question] = run.all("question-asked");
  await run.owned.command(
    { kind: "answer-question", id: question?.id ?? "", answer: "go" },
    "user",
  );
  expect(await run.over()).toBe(13);
});

test("a run whose last room is reserved by a turn that waits for a person goes on without it [LIM-1.turns, ENG-18]", async () => {
  const backend = playedBackend(async function* ({ agent: id, turn, client }) {
    yield { type: "usage", usage: { costUsd: 0.6 } };
    if (id === "asker" && turn === 2) await client.ask("what now?");
    yield said(id);
  });
  const program = async (context: Context): Promise<Json> => {
    for (const id of ["asker", "other"]) await context.spawn(agent(id));
    await context.turn("asker", "go");
    return (await Promise.all(["asker", "other"].map((id) => context.turn(id, "go")))).length;
  };
  const limits = { budget: { cost: 1 } };
  const run = runAgents(program, { backend, limits, suspendsWhenWaiting: true });
  expect(await run.owned.parted).toMatchObject({
    status: "suspended",
    event: { reason: "waiting" },
  });
  expect(run.all("turn-completed").map(({ agent: id }) => id)).toEqual(["asker", "other"]);
  expect(run.all("budget-reserved").map(({ amounts }) => amounts.cost)).toEqual([0.1, 0.4, 0]);
});

test("a command has nothing to reserve of cost and tokens, so any number of them runs side by side [LIM-1.turns]", async () => {
  const opened = gate();
  const backend = playedBackend(
    async function* ({ agent: id }) {
      await opened.opened;
      yield said(id);
    },
    { metering: "free" },
  );
  const program = async (context: Context): Promise<Json> => {
    const ids = Array.from({ length: 30 }, (_, index) => `w${index}`);
    await Promise.all(ids.map((id) => context.spawn(agent(id))));
    return (await Promise.all(ids.map((id) => context.turn(id, "go")))).length;
  };
  const run = runAgents(program, { backend, limits: { budget: { cost: 1, tokens: 10 } } });
  await settle();
  expect(run.all("turn-started")).toHaveLength(30);
  opened.open();
  expect(await run.over()).toBe(30);
  expect(run.all("budget-warned")).toEqual([]);
});

test("the time of an agent is that of all its turns together, each cut off by what is left [LIM-1.turns]", async () => {
  const clock = createManualClock();
  const backend = playedBackend(async function* ({ turn, signal }) {
    const waitMs = turn === 1 ? 4000 : 60_000;
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve());
      clock.startTimer(waitMs, resolve);
    });
    yield signal.aborted ? { type: "stop", reason: "cancelled" } : said(`turn ${turn}`);
  });
  const program = async (context: Context): Promise<Json> => {
    await context.spawn(agent("a", { budget: { wallClockMs: 10_000 } }));
    const at = step("draft");
    return [await tried(context.turn("a", "go")), await tried(context.turn("a", "go", at))];
  };
  const run = runAgents(program, { backend, clock });
  await clock.advance(9999);
  expect(run.all("turn-failed")).toEqual([]);
  await clock.advance(1);
  expect(await run.over()).toEqual(["turn 1", "LIMIT_TIME"]);
  expect(run.all("budget-exceeded")).toMatchObject([
    { of: "agent", agent: "a", meter: "wallClock", turn: 2, step: "draft", spent: 10_000 },
  ]);
});

test("what others have told counts for the room of the next turn, and not against budgets that are not theirs [LIM-1.turns, P17]", async () => {
  const [told, done] = [gate(), gate()];
  const backend = playedBackend(async function* ({ agent: id }) {
    if (id === "late") return yield said("late");
    yield { type: "usage", usage: { costUsd: id === "a" ? 0.55 : 0.4 } };
    yield { type: "text-delta", text: "…" };
    told.open();
    await done.opened;
    yield said(id);
  });
  const program = async (context: Context): Promise<Json> => {
    for (const id of ["a", "b"]) await context.spawn(agent(id, { budget: { cost: 0.6 } }));
    await context.spawn(agent("late"));
    const first = ["a", "b"].map((id) => tried(context.turn(id, "go")));
    await told.opened;
    return Promise.all([...first, tried(context.turn("late", "go"))]);
  };
  const run = runAgents(program, { backend, limits: { budget: { cost: 1 } } });
  await settle();
  expect(run.all("turn-started").map((event) => event.agent)).toEqual(["a", "b"]);
  done.open();
  expect(await run.over()).toEqual(["a", "b", "late"]);
});

test("what a dead owner left open is settled with all that it was set aside for [LIM-1.turns, ENG-2]", async () => {
  const store = createCuttableStore();
  const budgets = { stepBudgets: new Map([["refine", { cost: 4 }]]) };
  const at = { step: { id: "draft", path: "refine[1]/draft", execution: 1, attempt: 1 } };
  const program = async (context: Context): Promise<Json> => {
    await context.spawn(agent("a"));
    return (await context.turn("a", "go", at)).text;
  };
  const first = runAgents(program, { backend: using({ costUsd: 0.1 }), store, ...budgets });
  await first.over();
  const cut = await store.cutAfter("run_agents", first.all("turn-started")[0]?.seq ?? 0);
  const second = runAgents(program, { backend: using({ costUsd: 0.1 }), store: cut, ...budgets });
  await second.over();
  const [left, ended] = second.all("budget-settled");
  expect(left).toMatchObject({
    ...{ reservation: "a#1@1", agent: "a", turn: 1, step: "draft", around: ["refine"] },
    ...{ amounts: { cost: 0.4, turns: 0 }, assumed: { cost: 0.4 }, workedMs: 0 },
  });
  expect(ended).toMatchObject({ step: "draft", around: ["refine"], amounts: { cost: 0.1 } });
  expect(second.owned.state.budget.steps.get("refine")?.cost).toBeCloseTo(0.5);
});
