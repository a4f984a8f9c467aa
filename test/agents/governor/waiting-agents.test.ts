import { expect, test } from "vitest";
import { toProviderError } from "../../../src/agents/backends/parts/provider-error.ts";
import { createRateGovernor } from "../../../src/agents/governor/rate-governor.ts";
import { createMemoryLedger } from "../../../src/app/run/owner/run-hold.ts";
import type { AccountLedger } from "../../../src/contracts/accounts.ts";
import type { TurnUpdate } from "../../../src/contracts/backend.ts";
import type { Context } from "../../../src/contracts/ports/context.ts";
import { toErrorReport } from "../../../src/foundation/errors.ts";
import { present } from "../../../src/foundation/present.ts";
import { createManualClock, type ManualClock, settle } from "../../../src/testing/manual-clock.ts";
import { agent, type PlayedTurn, playedBackend, runAgents, said } from "../agents-run.ts";

const LAB = { account: () => "lab key 1a2b" };

function governor(clock: ManualClock, places = Infinity, ledger = createMemoryLedger()) {
  let count = 0;
  const newId = () => {
    count += 1;
    return `${count}`;
  };
  return createRateGovernor({ ledger: () => ledger, clock, random: () => 0, places, newId });
}

const overloaded = (details: object = {}): TurnUpdate => ({
  type: "error",
  error: { code: "BACKEND_OVERLOADED", message: "too many requests", retryable: true, details },
});

const askAll = (names: readonly string[]) => async (context: Context) => {
  for (const name of names) await context.spawn(agent(name));
  const turns = names.map((name) => context.turn(name, `do ${name}`, { timeoutMs: 600_000 }));
  return (await Promise.all(turns)).map((turn) => turn.text);
};

test("a provider that asks to wait is no failure: the same turn starts again with number, key and usage, and everybody sees who waits until when [LOOP-5, AGT-15]", async () => {
  const clock = createManualClock();
  const backend = playedBackend(async function* ({ attempt }) {
    yield { type: "usage", usage: { inputTokens: 10 } };
    yield attempt === 1 ? overloaded({ retryAfterMs: 30_000 }) : said("ok");
  }, LAB);
  const run = runAgents(askAll(["a"]), { backend, clock, governor: governor(clock) });
  await settle();
  const agentState = run.owned.state.agents.get("a");
  expect([agentState?.status, agentState?.statusReason]).toEqual([
    "idle",
    "waits for lab key 1a2b: rate limit until 2026-01-01T00:00:30.000Z",
  ]);
  await clock.advance(29_999);
  expect(backend.prompts).toHaveLength(1);
  await clock.advance(1);
  expect(await run.over()).toEqual(["ok"]);
  const [first, again] = backend.prompts;
  expect(again).toEqual({ ...first, attempt: 2, client: again?.client, signal: again?.signal });
  expect(backend.opened).toHaveLength(1);
  expect(
    run.all("turn-interrupted").map(({ turn, reason, usage }) => [turn, reason, usage]),
  ).toEqual([[1, "rate-limited", { inputTokens: 10 }]]);
  expect(run.all("turn-failed")).toEqual([]);
  expect(run.owned.state.agents.get("a")?.usage).toEqual({ inputTokens: 20 });
  expect(clock.timerCount).toBe(0);
});

test("one agent's refusal makes the others of the account wait, then one probes alone; another account goes on [LOOP-5]", async () => {
  const clock = createManualClock();
  const probe = Promise.withResolvers<void>();
  const refuse: PlayedTurn = async function* ({ agent: name, attempt }) {
    if (name === "first" && attempt === 1) return yield overloaded({ retryAfterMs: 10_000 });
    if (name !== "other") await probe.promise;
    yield said(name);
  };
  const backend = playedBackend(refuse, {
    account: ({ spec }) => (spec.id === "other" ? "lab 2" : "lab 1"),
  });
  const run = runAgents(
    async (context) => {
      for (const name of ["first", "second", "third", "other"]) await context.spawn(agent(name));
      const first = context.turn("first", "go");
      await context.sleep(1000);
      const late = ["second", "third", "other"].map((name) => context.turn(name, "go"));
      return (await Promise.all([first, ...late])).map((turn) => turn.text);
    },
    { backend, clock, governor: governor(clock) },
  );
  await clock.advance(9_999);
  expect(backend.prompts.map(({ agent: name }) => name)).toEqual(["first", "other"]);
  await clock.advance(5000);
  expect(backend.prompts.map(({ agent: name }) => name)).toEqual(["first", "other", "first"]);
  probe.resolve();
  await clock.advance(5000);
  expect(await run.over()).toEqual(["first", "second", "third", "other"]);
});

test("a program that retries by itself slows the others down too, and its turn goes on [LOOP-5]", async () => {
  const clock = createManualClock();
  const backend = playedBackend(async function* ({ agent: name }) {
    if (name === "a") {
      yield { type: "retrying", reason: "rate-limit", delayMs: 20_000 };
      await new Promise<void>((resolve) => clock.startTimer(20_000, resolve));
    }
    yield said(name);
  }, LAB);
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      await context.spawn(agent("b"));
      const slow = context.turn("a", "go");
      await context.sleep(1000);
      await context.turn("b", "go");
      return (await slow).text;
    },
    { backend, clock, governor: governor(clock) },
  );
  await clock.advance(19_999);
  expect(backend.prompts).toHaveLength(1);
  await clock.advance(60_000);
  expect(await run.over()).toBe("a");
  expect(backend.prompts).toHaveLength(2);
});

test("a turn that waited often enough fails with what the provider said [LOOP-5, P16]", async () => {
  const clock = createManualClock();
  const backend = playedBackend(async function* () {
    yield overloaded();
  }, LAB);
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      return context.turn("a", "go").then(
        () => "done",
        (error) => [error.code, error.retryable],
      );
    },
    { backend, clock, governor: governor(clock) },
  );
  await clock.advance(3_600_000);
  expect(await run.over()).toEqual(["BACKEND_OVERLOADED", true]);
  expect(backend.prompts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(run.all("turn-failed")).toHaveLength(1);
});

test("without an account nobody waits: the error is that of the turn [LOOP-5]", async () => {
  const clock = createManualClock();
  const backend = playedBackend(async function* () {
    yield overloaded({ retryAfterMs: 1000 });
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      return context.turn("a", "go").catch((error) => error.code);
    },
    { backend, clock, governor: governor(clock) },
  );
  expect(await run.over()).toBe("BACKEND_OVERLOADED");
});

test("accountConcurrency bounds the turns of an account across backends; waiting for it takes nobody's place [LOOP-5, ENG-9]", async () => {
  const clock = createManualClock();
  let running = 0;
  let most = 0;
  const backend = playedBackend(async function* ({ agent: name }) {
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => clock.startTimer(1000, resolve));
    running -= 1;
    yield said(name);
  }, LAB);
  const names = ["a", "b", "c", "d", "e"];
  const run = runAgents(askAll(names), { backend, clock, governor: governor(clock, 2) });
  await clock.advance(10_000);
  expect(await run.over()).toEqual(names);
  expect(most).toBe(2);
});

test("a run that is cancelled while its agents wait ends at once [LOOP-5]", async () => {
  const clock = createManualClock();
  const backend = playedBackend(async function* () {
    yield overloaded({ retryAfterMs: 600_000 });
  }, LAB);
  const run = runAgents(askAll(["a", "b"]), { backend, clock, governor: governor(clock) });
  await clock.advance(1000);
  await run.owned.command({ kind: "cancel", reason: "enough" }, "user");
  const parting = await run.owned.parted;
  expect(parting).toMatchObject({ status: "ended", event: { outcome: "cancelled" } });
  expect(clock.timerCount).toBe(0);
});

test("messages that a refused turn had taken start it again, and none is lost or counted as tried [LOOP-5, MSG-3]", async () => {
  const clock = createManualClock();
  const backend = playedBackend(async function* ({ attempt }) {
    yield attempt < 8 ? overloaded({ retryAfterMs: 1000 }) : said("read");
  }, LAB);
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", { session: "keep" }));
      await context.post({ to: ["a"], text: "wake up" });
      await context.quiescent({ quietMs: 100 });
      return null;
    },
    { backend, clock, governor: governor(clock) },
  );
  await clock.advance(60_000);
  await run.over();
  expect(backend.prompts.map(({ turn, attempt }) => [turn, attempt]).at(-1)).toEqual([1, 8]);
  expect(backend.prompts.every(({ task }) => task === "wake up")).toBe(true);
  expect(run.owned.state.deadLetters).toEqual([]);
});

test("a program that asks its overloaded model again without end is cut off, and its account waits like any other [LOOP-5, AGT-8.stuck]", async () => {
  const clock = createManualClock();
  const backend = playedBackend(async function* ({ attempt, signal }) {
    if (attempt === 2) return yield said("ok");
    while (!signal.aborted) {
      yield { type: "retrying", reason: "overloaded", delayMs: 1000 };
      await new Promise<void>((resolve) => clock.startTimer(1000, resolve));
    }
    yield { type: "stop", reason: "cancelled" };
  }, LAB);
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", { idleTimeoutMs: 30_000 }));
      return (await context.turn("a", "go")).text;
    },
    { backend, clock, governor: governor(clock) },
  );
  await clock.advance(60_000);
  expect(await run.over()).toBe("ok");
  expect(run.all("turn-interrupted").map(({ reason }) => reason)).toEqual(["rate-limited"]);
  expect(run.all("agent-nudged")).toEqual([]);
});

test("an account is asked for a turn once what wants the turn is durable [ENG-1]", async () => {
  const clock = createManualClock();
  const ledger = createMemoryLedger();
  const asked: boolean[] = [];
  const watched: AccountLedger = {
    ...ledger,
    update: (label, change) => {
      asked.push(run.all("operation-scheduled").some(({ kind }) => kind === "turn"));
      return ledger.update(label, change);
    },
  };
  const backend = playedBackend(async function* () {
    yield said("ok");
  }, LAB);
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      const { text } = await context.turn("a", "go");
      return text;
    },
    { backend, clock, governor: governor(clock, Infinity, watched) },
  );
  expect(await run.over()).toBe("ok");
  expect(asked.length).toBeGreaterThan(0);
  expect(asked).not.toContain(false);
});

const CALLED: TurnUpdate = { type: "tool-call", call: "c", tool: "Bash", input: { command: "x" } };

test.each([
  [
    "a server that is not there is asked again until it is back",
    "connect ECONNREFUSED",
    undefined,
    3,
    3,
  ],
  ["a server that hangs up is asked again until it is back", "Connection error.", undefined, 3, 3],
  ["a server that fails is asked again until it works", "oops", 503, 3, 3],
  [
    "a server that stays away is given up after six turns",
    "connect ECONNREFUSED",
    undefined,
    99,
    6,
  ],
  ["what nobody knows is not asked for again", "it did not say why", undefined, 3, 1],
] as const)(
  "%s, within the attempt of the user [LOOP-5]",
  async (...[, problem, status, failures, prompts]) => {
    const clock = createManualClock();
    const failure = toProviderError({ agent: "a", problem, ...present({ status }) });
    const backend = playedBackend(async function* ({ attempt }) {
      if (attempt < failures) yield { type: "error", error: toErrorReport(failure) };
      else yield said("ok");
    }, LAB);
    const ask = (context: Context) => askAll(["a"])(context).catch((error) => error.code);
    const run = runAgents(ask, { backend, clock, governor: governor(clock) });
    await clock.advance(600_000);
    const isBack = prompts === failures;
    expect(await run.over()).toEqual(isBack ? ["ok"] : "BACKEND_PROVIDER_FAILED");
    expect(backend.prompts).toHaveLength(prompts);
    expect(run.all("turn-failed")).toHaveLength(isBack ? 0 : 1);
  },
);

test("a turn that has called a tool is not asked again for a server that is away: it could call it twice [LOOP-5]", async () => {
  const clock = createManualClock();
  const failure = toProviderError({ agent: "a", problem: "connect ECONNREFUSED" });
  const backend = playedBackend(async function* () {
    yield CALLED;
    yield { type: "error", error: toErrorReport(failure) };
  }, LAB);
  const ask = (context: Context) => askAll(["a"])(context).catch((error) => error.code);
  const run = runAgents(ask, { backend, clock, governor: governor(clock) });
  await clock.advance(600_000);
  expect(await run.over()).toBe("BACKEND_PROVIDER_FAILED");
  expect(backend.prompts).toHaveLength(1);
});
