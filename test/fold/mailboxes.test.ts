import { describe, expect, test } from "vitest";
import type { EventData } from "../../src/contracts/events/event.ts";
import { foldAll } from "../../src/fold/fold.ts";
import { pendingMessages } from "../../src/fold/message-reading.ts";
import {
  created,
  journal,
  posted,
  spawned,
  started,
  turnCompleted,
  turnFailed,
  turnStarted,
} from "./journal-builder.ts";

const BEGIN = [created, started, spawned("coder")];

function stateAfter(events: readonly EventData[]) {
  return foldAll("run_a", journal([...BEGIN, ...events]));
}

function pendingOf(events: readonly EventData[], agent = "coder") {
  return pendingMessages({ state: stateAfter(events) }, agent).map(
    ({ message, attempts }) => [message.id, attempts] as const,
  );
}

function interrupted(reason: "owner-died" | "suspended" | "cancelled" | "timed-out"): EventData {
  return { type: "turn-interrupted", agent: "coder", turn: 1, reason };
}

describe("a message", () => {
  test("goes to its addressees and to nobody else", () => {
    const events: EventData[] = [
      {
        type: "message-posted",
        id: "m1",
        from: "lead",
        to: ["coder"],
        text: "@tester look",
        mentions: ["tester"],
        signals: [],
      },
    ];
    expect(pendingOf(events)).toEqual([["m1", 0]]);
    expect(pendingOf(events, "tester")).toEqual([]);
  });

  test("in a channel goes to those whom it mentions, in any case of letters", () => {
    const events: EventData[] = [
      {
        type: "message-posted",
        id: "m1",
        from: "lead",
        text: "@Coder look",
        mentions: ["Coder"],
        signals: [],
      },
    ];
    expect(pendingOf(events)).toEqual([["m1", 0]]);
    expect(pendingOf(events, "CODER")).toEqual([["m1", 0]]);
  });

  test("waits for an agent that is spawned later", () => {
    expect(pendingOf([posted("m1", ["late"]), spawned("late")], "late")).toEqual([["m1", 0]]);
  });

  test("to the person or to system fills no mailbox", () => {
    expect(stateAfter([posted("m1", ["user", "system", "human"])]).mailboxes.size).toBe(0);
  });
});

describe("an inbox item", () => {
  const two = [posted("m1", ["coder"]), posted("m2", ["coder"])];

  test("that a turn has taken is no longer pending, and stays so while the turn runs [MSG-3]", () => {
    expect(pendingOf([...two, turnStarted("coder", 1, { messages: ["m1"] })])).toEqual([["m2", 0]]);
  });

  test("is taken by a turn that reads it, as by one that has it in its prompt [MSG-3]", () => {
    const read: EventData = { type: "message-delivered", agent: "coder", ids: ["m2"], turn: 1 };
    const start = turnStarted("coder", 1, { messages: ["m1"] });
    expect(pendingOf([...two, start, read])).toEqual([]);
    expect(pendingOf([...two, start, read, turnCompleted("coder", 1)])).toEqual([]);
    expect(pendingOf([...two, start, read, turnFailed("coder", 1)])).toEqual([
      ["m1", 1],
      ["m2", 1],
    ]);
  });

  test("comes back in front of later ones when its turn fails, with one attempt more [MSG-3]", () => {
    const events = [
      posted("m1", ["coder"]),
      turnStarted("coder", 1, { messages: ["m1"] }),
      posted("m2", ["coder"]),
      turnFailed("coder", 1),
    ];
    expect(pendingOf(events)).toEqual([
      ["m1", 1],
      ["m2", 0],
    ]);
  });

  test.each(["max_turns", "max_tokens", "refusal", "cancelled"] as const)(
    "comes back when its turn stops with %s [MSG-3]",
    (stopReason) => {
      const end: EventData = {
        type: "turn-completed",
        agent: "coder",
        turn: 1,
        text: "",
        stopReason,
        signals: [],
      };
      const start = turnStarted("coder", 1, { messages: ["m1"] });
      expect(pendingOf([posted("m1", ["coder"]), start, end])).toEqual([["m1", 1]]);
    },
  );

  test.each([
    ["owner-died", 0],
    ["suspended", 0],
    ["cancelled", 1],
    ["timed-out", 1],
  ] as const)(
    "comes back from a turn that was cut off (%s) with attempts %i",
    (reason, attempts) => {
      const start = turnStarted("coder", 1, { messages: ["m1"] });
      expect(pendingOf([posted("m1", ["coder"]), start, interrupted(reason)])).toEqual([
        ["m1", attempts],
      ]);
    },
  );

  test("that was acked does not come back when its turn fails later [MSG-3]", () => {
    const events: EventData[] = [
      ...two,
      turnStarted("coder", 1, { messages: ["m1", "m2"] }),
      { type: "message-acked", agent: "coder", ids: ["m1"] },
      turnFailed("coder", 1),
    ];
    expect(pendingOf(events)).toEqual([["m2", 1]]);
  });

  test("that was acked does not come back when the same message is posted again [MSG-3]", () => {
    const events: EventData[] = [
      posted("m1", ["coder"]),
      { type: "message-acked", agent: "coder", ids: ["m1"] },
      posted("m1", ["coder"]),
    ];
    expect(pendingOf(events)).toEqual([]);
    expect(stateAfter(events).messages.recent).toHaveLength(1);
  });

  test("that was given up is among the dead letters [MSG-3]", () => {
    const state = stateAfter([
      posted("m1", ["coder"]),
      { type: "message-dead", agent: "coder", id: "m1", attempts: 5 },
    ]);
    expect(pendingMessages({ state }, "coder")).toEqual([]);
    const author = { from: "lead", isCopy: false };
    expect(state.deadLetters).toEqual([
      { agent: "coder", id: "m1", attempts: 5, seq: 5, ...author },
    ]);
  });
});
