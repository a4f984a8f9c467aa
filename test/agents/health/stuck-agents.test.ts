import { expect, test } from "vitest";
import type { AgentSession, TurnUpdate } from "../../../src/contracts/backend.ts";
import type { NudgeRung } from "../../../src/contracts/events/agent-events.ts";
import type { JournalEvent } from "../../../src/contracts/events/event.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { createManualClock, settle } from "../../../src/testing/manual-clock.ts";
import { agent, type PlayedTurn, playedBackend, runAgents, said } from "../agents-run.ts";

const IDLE_MS = 60_000;
const STUCK = { idleTimeoutMs: IDLE_MS };

const hang: PlayedTurn = async function* ({ signal }) {
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  yield { type: "stop", reason: "cancelled" };
};

/** A backend whose sessions can be talked to. */
function steerable(play: PlayedTurn, steer: NonNullable<AgentSession["steer"]>) {
  const backend = playedBackend(play);
  const { open } = backend;
  return {
    ...backend,
    open: async (request: Parameters<typeof open>[0]) => ({ ...(await open(request)), steer }),
  };
}

const rungsOf = (events: readonly JournalEvent[]): readonly NudgeRung[] =>
  events.flatMap((event) => (event.type === "agent-nudged" ? [event.rung] : []));

test("a silent agent is talked to, cut off with what was seen, started anew with what it had done, and given up; its slots are free [AGT-8.stuck, ENG-7.idle, AGT-9]", async () => {
  const clock = createManualClock();
  const told: string[] = [];
  const backend = steerable(
    async function* (request, session) {
      yield {
        type: "tool-call",
        call: "1",
        tool: "Bash",
        input: { command: `try ${request.turn}` },
      };
      yield { type: "tool-result", call: "1", tool: "Bash", isError: true, result: "no" };
      yield { type: "text-delta", text: "let me see\n> and see" };
      yield* hang(request, session);
    },
    async (text) => told.push(text) > 0,
  );
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", { ...STUCK, session: "keep" }));
      return await context.turn("a", "build it").catch((error) => error.code);
    },
    { backend, clock, maxTurnsPerBackend: 1 },
  );
  await clock.advance(4 * IDLE_MS);
  expect(await run.over()).toBe("AGENT_STUCK");
  expect(rungsOf(run.events)).toEqual(["nudge", "interrupt", "restart", "fail"]);
  expect(told).toEqual([expect.stringContaining("no sign of life for 1m00s")]);
  const [first, second, third] = backend.prompts.map(({ prompt }) => prompt);
  expect(first).toBe("build it");
  expect(second).toMatch(
    /^\[troupe\] Your last turn was cut off .* no sign of life for 1m00s\..*\n\nbuild it$/,
  );
  expect(third?.split("\n")).toEqual([
    expect.stringContaining("cut off because you seemed stuck"),
    "",
    expect.stringContaining("take over from a session that was lost"),
    "It called these tools:",
    '> Bash {"command":"try 2"} (failed)',
    "It had said last:",
    "> let me see",
    "> > and see",
    "",
    "build it",
  ]);
  expect(backend.opened.map(({ resume }) => resume)).toEqual([undefined, undefined]);
  expect(run.all("turn-interrupted").map(({ reason }) => reason)).toEqual(["stuck", "stuck"]);
  expect(run.all("turn-failed")).toMatchObject([
    { error: { code: "AGENT_STUCK", retryable: true } },
  ]);
  expect(run.all("agent-status").map(({ status, reason }) => [status, reason])).toEqual([
    ["stuck", "no sign of life for 1m00s"],
    ["stuck", "no sign of life for 1m00s"],
    ["stuck", "no sign of life for 1m00s"],
  ]);
  expect(clock.timerCount).toBe(0);
});

test("an agent that goes on after it was talked to is not stuck any more; the rungs end with its turn [AGT-8.stuck]", async () => {
  const clock = createManualClock();
  const heard = Promise.withResolvers<void>();
  const backend = steerable(
    async function* ({ turn }) {
      if (turn === 1) await heard.promise;
      yield { type: "text-delta", text: "here I am" };
      yield said("ok");
    },
    async () => {
      heard.resolve();
      return true;
    },
  );
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", { ...STUCK, session: "keep" }));
      await context.turn("a", "one");
      return (await context.turn("a", "two")).text;
    },
    { backend, clock },
  );
  await clock.advance(IDLE_MS);
  expect(await run.over()).toBe("ok");
  expect(rungsOf(run.events)).toEqual(["nudge"]);
  expect(run.all("agent-status").map(({ status }) => status)).toEqual(["stuck", "working"]);
  expect(backend.prompts.map(({ prompt }) => prompt)).toEqual(["one", "two"]);
  expect(run.owned.state.agents.get("a")?.nudges.size).toBe(0);
});

test("whoever does not take what it is told, or calls the same tool again and again, is cut off at once [AGT-8.stuck]", async () => {
  const repeat: TurnUpdate = {
    type: "tool-call",
    call: "1",
    tool: "Bash",
    input: { command: "make" },
  };
  const backend = steerable(
    async function* (request, session) {
      if (request.turn === 2) return yield said("DONE: made it");
      for (let times = 0; times < 5; times += 1) yield repeat;
      yield* hang(request, session);
    },
    async () => false,
  );
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", STUCK));
      return (await context.turn("a", "make it")).text;
    },
    { backend },
  );
  expect(await run.over()).toBe("DONE: made it");
  expect(rungsOf(run.events)).toEqual(["nudge", "interrupt"]);
  expect(backend.prompts[1]?.prompt).toContain("called Bash 5 times in a row with the same input");
});

test("an agent that works on messages and stays stuck gives up, and the run sees it [AGT-8.stuck, KCK-3]", async () => {
  const clock = createManualClock();
  const backend = playedBackend(hang);
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", { ...STUCK, session: "keep" }));
      const gone = context.subscribe({ kinds: ["agent-exited"], from: ["a"] });
      await context.post({ to: ["a"], text: "wake up" });
      await context.next(gone);
      return null;
    },
    { backend, clock, isMessageDriven: true },
  );
  await clock.advance(3 * IDLE_MS);
  await run.over();
  expect(rungsOf(run.events)).toEqual(["interrupt", "restart", "fail"]);
  expect(run.all("agent-exited")).toMatchObject([
    { reason: "failed", error: { code: "AGENT_STUCK" } },
  ]);
});

test("while an agent waits for a person, however long, nothing is done about it [AGT-8.stuck, AGT-10]", async () => {
  const clock = createManualClock();
  const backend = playedBackend(async function* ({ client }) {
    yield said(await client.ask("Which one?"));
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", STUCK));
      return (await context.turn("a", "choose")).text;
    },
    { backend, clock },
  );
  await settle();
  await clock.advance(100 * IDLE_MS);
  const [asked] = run.all("question-asked");
  await run.owned.command({ kind: "answer-question", id: asked?.id ?? "", answer: "this" }, "user");
  expect(await run.over()).toBe("this");
  expect(rungsOf(run.events)).toEqual([]);
});

test("after the owner's death the ladder goes on where it was, and what was seen is told again [AGT-8.stuck, ENG-2]", async () => {
  const clock = createManualClock();
  const store = createCuttableStore();
  const program = async (context: Parameters<Parameters<typeof runAgents>[0]>[0]) => {
    await context.spawn(agent("a", STUCK));
    return await context.turn("a", "build it").catch((error) => error.code);
  };
  const first = runAgents(program, { backend: playedBackend(hang), clock, store });
  await clock.advance(IDLE_MS);
  expect(rungsOf(first.events)).toEqual(["interrupt"]);
  first.owned.interrupt(130);
  await first.owned.parted;
  const backend = playedBackend(hang);
  const second = runAgents(program, { backend, clock, store });
  await clock.advance(2 * IDLE_MS);
  expect(await second.over()).toBe("AGENT_STUCK");
  expect(rungsOf(second.events)).toEqual(["restart", "fail"]);
  expect(backend.prompts[0]?.prompt).toContain("cut off because you seemed stuck");
});

test("agents that ask no model may be silent as long as they like, those of an account ten minutes [AGT-8.stuck]", async () => {
  const program = async (context: Parameters<Parameters<typeof runAgents>[0]>[0]) => {
    await context.spawn(agent("a"));
    return await context.turn("a", "go", { timeoutMs: 7_200_000 }).catch((error) => error.code);
  };
  const clock = createManualClock();
  const silent = runAgents(program, { backend: playedBackend(hang), clock });
  await clock.advance(7_200_000);
  expect(await silent.over()).toBe("AGENT_TURN_TIMED_OUT");
  expect(rungsOf(silent.events)).toEqual([]);
  const watched = runAgents(program, {
    backend: playedBackend(hang, { account: () => "lab key 1" }),
    clock,
  });
  await clock.advance(600_000);
  expect(rungsOf(watched.events)).toEqual(["interrupt"]);
  await clock.advance(7_200_000);
  expect(await watched.over()).toBe("AGENT_STUCK");
});

test("a session that is lost and cannot be resumed hands over what it had done; one that is resumed remembers it [AGT-7.crash]", async () => {
  const play: PlayedTurn = async function* ({ turn }) {
    if (turn > 1) return yield said("ok");
    yield { type: "tool-call", call: "1", tool: "Write", input: { file_path: "a.txt" } };
    const error = { code: "BACKEND_EXITED", message: "it died" };
    yield { type: "error", error, sessionLost: true, text: "half of it is there" };
  };
  const promptsOf = async (onCrash: "resume" | "restart") => {
    const backend = playedBackend(play);
    const run = runAgents(
      async (context) => {
        await context.spawn(agent("a", { onCrash }));
        return (await context.turn("a", "write it")).text;
      },
      { backend },
    );
    await run.over();
    return backend.prompts.map(({ prompt }) => prompt);
  };
  const [first, resumed] = await promptsOf("resume");
  expect(first).toBe("write it");
  // What it remembers of a call that was cut off need not be true.
  expect(resumed).toMatch(
    /have no result[^\n]*\n> Write \{"file_path":"a.txt"\}\n[^\n]*\n\nwrite it$/u,
  );
  expect(resumed).not.toContain("half of it is there");
  const [, again] = await promptsOf("restart");
  expect(again).toContain(
    '> Write {"file_path":"a.txt"}\nIt had said last:\n> half of it is there\n\nwrite it',
  );
});

test("a program that asks a broken model without end is given up at once, and asking again is no sign that it works [AGT-8.stuck]", async () => {
  const clock = createManualClock();
  const backend = steerable(
    async function* ({ signal }) {
      await new Promise<void>((resolve) => clock.startTimer(IDLE_MS + 1, resolve));
      while (!signal.aborted) {
        yield { type: "retrying", reason: "server-error" };
        await new Promise<void>((resolve) => clock.startTimer(1000, resolve));
      }
      yield { type: "stop", reason: "cancelled" };
    },
    async () => true,
  );
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", { ...STUCK, session: "keep" }));
      return await context.turn("a", "build it").catch((error) => error.code);
    },
    { backend, clock },
  );
  await clock.advance(3 * IDLE_MS);
  expect(await run.over()).toBe("AGENT_STUCK");
  expect(rungsOf(run.events)).toEqual(["nudge", "fail"]);
  expect(run.all("agent-status").map(({ status }) => status)).toEqual(["stuck"]);
  expect(run.all("turn-failed")).toMatchObject([
    { error: { message: expect.stringContaining("not answered for 1m00s (server-error)") } },
  ]);
});

test("a refusal to be talked to that comes when the turn is over changes nothing [AGT-8.stuck]", async () => {
  const clock = createManualClock();
  const [heard, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<boolean>()];
  const backend = steerable(
    async function* ({ turn }) {
      if (turn === 1) await heard.promise;
      yield said("ok");
    },
    () => {
      heard.resolve();
      return answer.promise;
    },
  );
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", { ...STUCK, session: "keep" }));
      await context.turn("a", "one");
      answer.resolve(false);
      await context.sleep(1000);
      return (await context.turn("a", "two")).text;
    },
    { backend, clock },
  );
  await clock.advance(2 * IDLE_MS);
  expect(await run.over()).toBe("ok");
  expect(rungsOf(run.events)).toEqual(["nudge"]);
});

test("who was only talked to before the owner died is not told that a turn was cut off [AGT-8.stuck, ENG-2]", async () => {
  const clock = createManualClock();
  const store = createCuttableStore();
  const program = async (context: Parameters<Parameters<typeof runAgents>[0]>[0]) => {
    await context.spawn(agent("a", { ...STUCK, session: "keep" }));
    return (await context.turn("a", "build it")).text;
  };
  const first = runAgents(program, { backend: steerable(hang, async () => true), clock, store });
  await clock.advance(IDLE_MS);
  expect(rungsOf(first.events)).toEqual(["nudge"]);
  first.owned.interrupt(130);
  await first.owned.parted;
  const backend = playedBackend(async function* () {
    yield said("ok");
  });
  const second = runAgents(program, { backend, clock, store });
  await clock.advance(0);
  expect(await second.over()).toBe("ok");
  expect(backend.prompts[0]?.prompt).not.toContain("cut off because");
});
