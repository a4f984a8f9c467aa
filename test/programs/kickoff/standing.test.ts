import { expect, test } from "vitest";
import type { JournalEvent } from "../../../src/contracts/events/event.ts";
import { runKickoff } from "./kickoff-run.ts";

const text = "name: helper\ncontext:\nagents: { a: {}, b: {} }\n";
const MINUTES = 60_000;

function isEndOfTurn(event: JournalEvent, turn: number): boolean {
  return event.type === "turn-completed" && event.turn === turn;
}

test("what goes on until it is stopped wakes for every message and completes when it is stopped [KCK-4]", async () => {
  const end = await runKickoff(`${text}kickoff: go @a\n`, {
    until: "stopped",
    turns: { a: [{ say: "first" }, { after: "20m", say: "FAILED: second" }] },
    onEvent: (event, run) => {
      if (isEndOfTurn(event, 1))
        run.command({ kind: "send", text: "more", to: ["a"], key: "k" }).catch(() => {});
      if (isEndOfTurn(event, 2)) run.command({ kind: "stop" }).catch(() => {});
    },
  });
  expect(end).toMatchObject({
    outcome: "completed",
    exitCode: 0,
    reason: expect.stringMatching(/^all agents were stopped/),
  });
  expect(end.said.slice(2)).toEqual(["a: first", "user: more", "a: FAILED: second"]);
  expect(end.state.runningTime.totalMs).toBeGreaterThan(19 * MINUTES);
});

test("without a kickoff the agents of what is started wait to be written to [KCK-2, KCK-7]", async () => {
  const end = await runKickoff(text, {
    until: "stopped",
    turns: { b: [{ say: "here I am" }] },
    onEvent: (event, run) => {
      if (event.type === "message-posted" && event.text === "Workflow started")
        run.command({ kind: "send", text: "hello @b", key: "k" }).catch(() => {});
      if (isEndOfTurn(event, 1)) run.command({ kind: "stop" }).catch(() => {});
    },
  });
  expect(end.said).toEqual(["system: Workflow started", "user: hello @b", "b: here I am"]);
});

test("what is started has the bounds that somebody wrote, and no others [KCK-3, KCK-4]", async () => {
  const loop = {
    a: { repeat: "last", turns: [{ say: "@b you" }] },
    b: { repeat: "last", turns: [{ say: "@a no, you" }] },
  } as const;
  const unbounded = await runKickoff(`${text}kickoff: go @a\n`, {
    until: "stopped",
    turns: loop,
    onEvent: (event, run) => {
      if (isEndOfTurn(event, 60)) run.command({ kind: "stop", force: true }).catch(() => {});
    },
  });
  expect(unbounded.outcome).toBe("completed");
  const bounded = await runKickoff(
    `${text}kickoff: go @a\noptions: { bounds: { pingPong: 2 } }\n`,
    { until: "stopped", turns: loop },
  );
  expect(bounded).toMatchObject({ outcome: "limit-reached" });
});

test("what a person cuts off is over: the agent is not told it again, and goes on with what it is told next [CHAT-2]", async () => {
  const end = await runKickoff(text, {
    until: "stopped",
    turns: {
      a: [
        { after: "20m", say: "never" },
        { expect: "second", say: "heard" },
      ],
    },
    onEvent: (event, run) => {
      const send = (message: string) =>
        run.command({ kind: "send", text: message, to: ["a"], key: message }).catch(() => {});
      if (event.type === "message-posted" && event.text === "Workflow started") void send("first");
      if (event.type === "turn-started" && event.turn === 1)
        run.command({ kind: "interrupt", agent: "A" }).catch(() => {});
      if (event.type === "turn-interrupted") void send("second");
      if (isEndOfTurn(event, 2)) run.command({ kind: "stop" }).catch(() => {});
    },
  });
  expect(end.outcome).toBe("completed");
  expect(end.said).toEqual(["system: Workflow started", "user: first", "user: second", "a: heard"]);
});
