import { expect, test } from "vitest";
import { sessionUnknown } from "../../src/agents/backends/parts/errors.ts";
import type { TurnUpdate } from "../../src/contracts/backend.ts";
import type { Context } from "../../src/contracts/ports/context.ts";
import { toErrorReport } from "../../src/foundation/errors.ts";
import type { Json } from "../../src/foundation/json.ts";
import { createManualClock, settle } from "../../src/testing/manual-clock.ts";
import { agent, gate, playedBackend, runAgents, said } from "./agents-run.ts";

/** One turn of one agent; its text, or the code of its error. */
async function oneTurn(context: Context, options: { timeoutMs?: number } = {}): Promise<Json> {
  await context.spawn(agent("a"));
  return turnOf(context, "a", options);
}

function turnOf(context: Context, id: string, options = {}): Promise<string> {
  return context.turn(id, "do it", options).then(
    (result) => result.text,
    (error: unknown) => toErrorReport(error).code,
  );
}

const ENDS = ["turn-completed", "turn-failed", "turn-interrupted"];

test("a turn's start is in the journal before the backend sees its prompt", async () => {
  const seen: string[][] = [];
  const backend = playedBackend(async function* () {
    seen.push(run.events.map((event) => event.type));
    yield said("ok");
  });
  const run = runAgents(oneTurn, { backend });
  await run.over();
  expect(seen[0]?.slice(-2)).toEqual(["turn-started", "agent-ready"]);
});

test("an agent goes from starting over idle and working to exited [AGT-7.crash]", async () => {
  const statuses: (string | undefined)[] = [];
  const look = () => statuses.push(run.owned.state.agents.get("a")?.status);
  const backend = playedBackend(async function* () {
    look();
    yield said("ok");
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      look();
      await context.turn("a", "go");
      look();
      return null;
    },
    { backend },
  );
  await run.over();
  look();
  expect(statuses).toEqual(["starting", "working", "idle", "exited"]);
  expect(run.all("agent-exited")).toMatchObject([{ agent: "a", reason: "released" }]);
});

test.each<[string, () => AsyncIterable<TurnUpdate>, string]>([
  [
    "ends without saying how",
    async function* () {
      yield { type: "text-delta", text: "half" };
    },
    "AGENT_TURN_UNFINISHED",
  ],
  [
    "throws",
    async function* (): AsyncIterable<TurnUpdate> {
      yield { type: "text-delta", text: "half" };
      throw new Error("pipe broke");
    },
    "INTERNAL",
  ],
])(
  "a backend that %s crashes its session; after three restarts the turn fails [AGT-7.crash]",
  async (_, play, code) => {
    const backend = playedBackend(play);
    const run = runAgents(oneTurn, { backend });
    expect(await run.over()).toBe(code);
    expect(run.all("turn-started").map((event) => event.turn)).toEqual([1, 2, 3, 4]);
    expect(run.all("turn-failed").map((event) => event.text)).toEqual([
      "half",
      "half",
      "half",
      "half",
    ]);
    expect(run.all("session-ended").map((event) => event.reason)).toEqual(Array(4).fill("crashed"));
    expect(backend.closed).toHaveLength(4);
    expect(run.events.filter((event) => ENDS.includes(event.type))).toHaveLength(4);
  },
);

test.each([
  ["resume", [undefined, "token of a/main 1"]],
  ["restart", [undefined, undefined]],
] as const)(
  "onCrash: %s opens the next session accordingly [AGT-7.crash]",
  async (onCrash, tokens) => {
    const backend = playedBackend(async function* ({ turn }) {
      if (turn === 1)
        yield { type: "error", error: { code: "DIED", message: "gone" }, sessionLost: true };
      else yield said("back");
    });
    const run = runAgents(
      async (context) => {
        await context.spawn(agent("a", { onCrash }));
        return turnOf(context, "a");
      },
      { backend },
    );
    expect(await run.over()).toBe("back");
    expect(backend.opened.map((request) => request.resume)).toEqual(tokens);
    expect(backend.prompts.map(({ turn, key }) => ({ turn, key }))).toEqual([
      { turn: 1, key: "run_agents/turn#1" },
      { turn: 2, key: "run_agents/turn#1" },
    ]);
  },
);

test("onCrash: fail fails the turn at the first crash [AGT-7.crash]", async () => {
  const backend = playedBackend(async function* () {
    yield { type: "error", error: { code: "DIED", message: "gone" }, sessionLost: true };
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", { onCrash: "fail" }));
      return turnOf(context, "a");
    },
    { backend },
  );
  expect(await run.over()).toBe("DIED");
  expect(backend.opened).toHaveLength(1);
});

test("a session that the backend no longer knows is replaced by a new one", async () => {
  const played = playedBackend(async function* ({ turn }) {
    if (turn === 1)
      yield { type: "error", error: { code: "DIED", message: "gone" }, sessionLost: true };
    else yield said("new");
  });
  const backend = {
    ...played,
    open: async (request: Parameters<typeof played.open>[0]) => {
      if (request.resume !== undefined)
        throw sessionUnknown({ agent: "a", resume: request.resume });
      return played.open(request);
    },
  };
  expect(await runAgents(oneTurn, { backend }).over()).toBe("new");
});

test("a session that cannot be opened fails the turn once, without restarts", async () => {
  const backend = playedBackend(
    async function* () {
      yield said("never");
    },
    { open: () => Promise.reject(new Error("no such program")) },
  );
  const run = runAgents(oneTurn, { backend });
  expect(await run.over()).toBe("INTERNAL");
  expect(run.all("turn-failed")).toHaveLength(1);
  expect(run.all("session-ended")).toHaveLength(0);
});

test("a turn that reaches its deadline fails, and its session is replaced [ENG-7.turn, P12]", async () => {
  const clock = createManualClock();
  const backend = playedBackend(async function* ({ signal }) {
    yield { type: "text-delta", text: "so far" };
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    yield { type: "stop", reason: "cancelled" };
  });
  const run = runAgents((context) => oneTurn(context, { timeoutMs: 60_000 }), { backend, clock });
  await clock.advance(59_999);
  expect(run.all("turn-failed")).toHaveLength(0);
  await clock.advance(1);
  expect(await run.over()).toBe("AGENT_TURN_TIMED_OUT");
  expect(run.all("turn-failed")).toMatchObject([
    { text: "so far", error: { code: "AGENT_TURN_TIMED_OUT", retryable: true } },
  ]);
  expect(backend.closed).toEqual(["a/main"]);
});

test.each(["stream", "open", "close"])(
  "a backend whose %s never ends is left behind after the grace period [P12]",
  async (part) => {
    const clock = createManualClock();
    const never = new Promise<never>(() => {});
    const played = playedBackend(async function* ({ turn }) {
      if (part === "stream" && turn === 1) await never;
      if (part === "close") yield { type: "error", error: { code: "X", message: "x" } };
      else yield said("second turn");
    });
    let opens = 0;
    const backend = {
      ...played,
      open: async (request: Parameters<typeof played.open>[0]) => {
        opens += 1;
        if (part === "open" && opens === 1) await never;
        const session = await played.open(request);
        return part === "close" ? { ...session, close: () => never } : session;
      },
    };
    const run = runAgents(
      async (context) => {
        const first = await oneTurn(context, { timeoutMs: 1000 });
        return [first, await turnOf(context, "a")];
      },
      { backend, clock },
    );
    await clock.advance(1000);
    await clock.advance(10_000);
    expect(await run.over()).toEqual(
      part === "close" ? ["X", "X"] : ["AGENT_TURN_TIMED_OUT", "second turn"],
    );
  },
);

test("a cancelled scope interrupts its turn once and closes the session of its step", async () => {
  const started = gate();
  const backend = playedBackend(async function* ({ signal }) {
    started.open();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    yield { type: "stop", reason: "cancelled" };
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      context.scope("branch", (branch) => branch.turn("a", "work"));
      await started.opened;
      return null;
    },
    { backend },
  );
  await run.over();
  expect(run.all("turn-interrupted")).toMatchObject([{ turn: 1, reason: "cancelled" }]);
  expect(backend.closed).toEqual(["a/branch"]);
  expect(run.all("session-ended")).toMatchObject([{ session: "a/branch", reason: "done" }]);
});

test("suspension interrupts a turn and ends no session in the journal [ENG-18]", async () => {
  const backend = playedBackend(async function* ({ signal }) {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    yield { type: "stop", reason: "cancelled" };
  });
  const run = runAgents(oneTurn, { backend });
  await settle();
  run.owned.interrupt(130);
  expect((await run.owned.parted).status).toBe("suspended");
  expect(run.all("turn-interrupted")).toMatchObject([{ reason: "suspended" }]);
  expect(run.all("operation-settled").map((event) => event.op)).toEqual(["spawn#1"]);
  expect(run.all("session-ended")).toEqual([]);
  expect(backend.closed).toEqual(["a/main"]);
});

test("an interrupted turn fails with its own error, a released agent's too; neither looks like a cancellation", async () => {
  const started = gate();
  const backend = playedBackend(async function* ({ agent: id, signal }) {
    if (id === "b") started.open();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    yield { type: "stop", reason: "cancelled" };
  });
  const run = runAgents(
    async (context) => {
      await Promise.all([context.spawn(agent("a")), context.spawn(agent("b"))]);
      const turns = [turnOf(context, "a"), turnOf(context, "b")];
      const queued = context.scope("later", (later) => turnOf(later, "b"));
      await started.opened;
      const statuses = [await context.interrupt("a"), await context.release("b", "enough")];
      return [...statuses, ...(await Promise.all([...turns, queued.result]))];
    },
    { backend },
  );
  expect(await run.over()).toEqual([
    "working",
    "working",
    "AGENT_INTERRUPTED",
    "AGENT_GONE",
    "AGENT_GONE",
  ]);
});

test("at most so many turns run on a backend at a time, in the order of asking [ENG-9]", async () => {
  let running = 0;
  let most = 0;
  const order: string[] = [];
  const backend = playedBackend(async function* ({ agent: id }) {
    order.push(id);
    running += 1;
    most = Math.max(most, running);
    await settle(1);
    running -= 1;
    yield said("ok");
  });
  const run = runAgents(
    async (context) => {
      const ids = ["a", "b", "c", "d", "e", "f"];
      await Promise.all(ids.map((id) => context.spawn(agent(id))));
      await Promise.all(ids.map((id) => context.turn(id, "go")));
      return ids;
    },
    { backend, maxTurnsPerBackend: 2 },
  );
  expect(await run.over()).toEqual(order);
  expect(most).toBe(2);
});
