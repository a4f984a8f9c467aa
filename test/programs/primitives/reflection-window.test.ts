import { expect, test } from "vitest";
import type { EventData } from "../../../src/contracts/events/event.ts";
import { focalPointsOf, ownSynthesis } from "../../../src/programs/primitives/reflection-text.ts";
import {
  ReflectionWindow,
  saidBlocks,
} from "../../../src/programs/primitives/reflection-window.ts";

const error = { code: "X", message: "it broke", retryable: false };

function ended(agent: string, text: string, ...kinds: readonly string[]): EventData {
  const signals = kinds.map((kind) => ({ kind, value: "", by: "text" }) as const);
  return { type: "turn-completed", agent, turn: 1, text, stopReason: "end_turn", signals };
}

const turnStarted: EventData = {
  ...{ type: "turn-started", agent: "a", turn: 2, attempt: 1, session: "s", key: "k", items: [] },
};

/** A window on agents a and b that has taken in all of this. */
function windowOf(...events: readonly EventData[]): ReflectionWindow {
  const window = new ReflectionWindow(["a", "b"]);
  for (const event of events) window.take({ ...event, seq: 1, at: 0 });
  return window;
}

test.each<readonly [string, EventData, string, boolean]>([
  ["said nothing of it", ended("a", "x"), "idle", false],
  ["is done", ended("a", "x", "ack", "done"), "done", false],
  ["says that all are done", ended("a", "x", "team_done"), "done", false],
  ["has failed", ended("a", "x", "done", "failed"), "stuck", false],
  ["is blocked", ended("a", "x", "blocked"), "stuck", false],
  ["broke off", { type: "turn-failed", agent: "a", turn: 1, error }, "stuck", false],
  ["seems stuck", { type: "agent-status", agent: "a", status: "stuck" }, "stuck", false],
  ["works", { type: "agent-status", agent: "a", status: "working" }, "active", false],
  ["has begun a turn", turnStarted, "active", false],
  [
    "waits for leave",
    { type: "agent-status", agent: "a", status: "waiting-permission" },
    "done",
    false,
  ],
  ["has left", { type: "agent-exited", agent: "a", reason: "released" }, "done", true],
  ["has crashed", { type: "agent-exited", agent: "a", reason: "failed", error }, "stuck", true],
])("an agent that %s stands so [PRM-reflection]", (...given) => {
  const [, event, status, hasLeft] = given;
  const window = windowOf({ ...ended("a", "hello", "done") }, event);
  expect([window.statusOf("a"), window.hasLeft("a")]).toEqual([status, hasLeft]);
  expect([window.statusOf("b"), window.hasLeft("b")]).toEqual(["idle", false]);
  expect([window.statusOf("c"), window.hasLeft("c")]).toEqual([undefined, false]);
});

test("what those that take part say counts once, whoever joins included [PRM-reflection]", () => {
  const posted = (from: string, text: string, key: string): EventData => ({
    ...{ type: "message-posted", id: "m", channel: "main", from, text, key },
    ...{ mentions: [], signals: [] },
  });
  const spec = { id: "c", backend: "script" } as const;
  const window = windowOf(
    posted("a", "a message", "x/1"),
    posted("a", "its turn once more", "x/1/announce"),
    posted("stranger", "hello", "x/2"),
    ended("b", "  \n"),
    { type: "agent-spawned", agent: "c", backend: "script", spec },
    ended("c", "a word"),
  );
  expect(window.heard).toEqual([
    { from: "a", text: "a message" },
    { from: "c", text: "a word" },
  ]);
  expect([window.idOf("A"), window.idOf("C"), window.idOf("d")]).toEqual(["a", "c", undefined]);
});

test("confidence is the share of those that are not stuck among those that still take part [PRM-reflection-2]", () => {
  const confidence = (...events: readonly EventData[]) => windowOf(...events).restart().confidence;
  expect(confidence()).toBe(1);
  const gone = (agent: string): EventData => ({ type: "agent-exited", agent, reason: "released" });
  expect(confidence(gone("a"), gone("b"))).toBe(1);
  expect(confidence(ended("a", "x", "blocked"))).toBe(0.5);
  expect(confidence(ended("a", "x", "blocked"), ended("b", "x", "blocked"))).toBe(0);
  const left: EventData = { type: "agent-exited", agent: "b", reason: "released" };
  expect(confidence(ended("a", "x", "blocked"), left)).toBe(0);
});

test("what was said longest ago is forgotten first, and how much is told [PRM-reflection]", () => {
  const long = "x".repeat(16_384);
  const window = windowOf(ended("a", "first"), ended("b", long), ended("a", long));
  window.weigh([1, undefined, 10]);
  expect([window.importance, window.heard]).toEqual([14, []]);
  const stretch = window.restart();
  expect(stretch).toMatchObject({ importance: 14, forgotten: 1 });
  expect([...stretch.counts]).toEqual([
    ["a", 2],
    ["b", 1],
  ]);
  expect(saidBlocks(stretch)).toEqual([
    { label: "note of Troupe", text: "1 earlier messages are left out here" },
    { label: "message of b, importance 3", text: long },
    { label: "message of a, importance 10", text: long },
  ]);
  // The next stretch begins anew.
  window.take({ ...ended("a", `${long}${long}y`), seq: 2, at: 0 });
  window.weigh([]);
  const next = window.restart();
  expect(next).toMatchObject({ importance: 3, forgotten: 0 });
  expect([...next.counts]).toEqual([["a", 1]]);
  expect(saidBlocks(next)).toEqual([
    { label: "message of a, importance 3", text: `${long}${long}` },
  ]);
});

test("three questions at most are raised, those about who is stuck first [PRM-reflection-2]", () => {
  const points = (...events: readonly EventData[]) => {
    const window = windowOf(...events);
    window.weigh([]);
    return focalPointsOf(window.restart());
  };
  const always = [
    "Do the agents come closer to one result, or do they go apart?",
    "Has anything about the goal been misunderstood?",
  ];
  const calm = [ended("a", "x", "done"), ended("b", "x", "done")];
  expect(points(...calm)).toEqual(always);
  expect(points(ended("a", "x", "done"), ended("b", "x"))).toEqual([
    "Does b wait for something that somebody can give?",
    ...always,
  ]);
  expect(points(ended("a", "an error", "blocked"), ended("a", "a crash", "blocked"))).toEqual([
    "What keeps a from going on?",
    "What do the errors that a tells of mean for the goal?",
    "Does b wait for something that somebody can give?",
  ]);
});

test("Troupe itself tells how much was said, who is stuck, and the last words of each [PRM-reflection-2]", () => {
  const window = windowOf(
    ended("a", "the first words"),
    ended("b", `${"word ".repeat(100)}end`, "failed"),
    ended("a", "the last\nwords"),
  );
  window.weigh([]);
  const [sum, stuck, a, b, ...rest] = ownSynthesis(window.restart()).split("\n");
  expect([sum, stuck, a, rest]).toEqual([
    "3 messages of importance 9 (a 2, b 1).",
    "Stuck: b.",
    "a: the last words",
    [],
  ]);
  expect(b).toBe(`b: ${"word ".repeat(40)}`.trimEnd());
});

test("who joins is idle, who leaves is done and takes part no more, and shadows are no part [PRM-reflection]", () => {
  const binding = { of: "a", receiveIncoming: true, receiveOutgoing: true, speakOn: [] };
  const spec = { id: "eye", backend: "script", shadow: binding } as const;
  const window = windowOf({ type: "agent-spawned", agent: "eye", backend: "script", spec });
  window.join("c");
  window.leave("a");
  expect(["a", "c", "eye"].map((id) => [window.statusOf(id), window.hasLeft(id)])).toEqual([
    ["done", true],
    ["idle", false],
    [undefined, false],
  ]);
});
