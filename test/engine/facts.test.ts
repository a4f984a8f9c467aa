import fc from "fast-check";
import { expect, test } from "vitest";
import type { EventData, JournalEvent } from "../../src/contracts/events/event.ts";
import type { SelectorKind } from "../../src/contracts/selector.ts";
import { FactStream, isFact, matchesSelector } from "../../src/engine/facts.ts";

function at(seq: number, data: EventData): JournalEvent {
  return { ...data, seq, at: seq };
}

function message(
  seq: number,
  parts: {
    from?: string;
    to?: string[];
    mentions?: string[];
    channel?: string;
    signals?: string[];
  } = {},
): JournalEvent {
  const { from = "lead", mentions = [], signals = [], ...rest } = parts;
  return at(seq, {
    type: "message-posted",
    id: `m${seq}`,
    from,
    text: "x",
    mentions,
    signals,
    ...rest,
  });
}

const KEEPS_ALL = { eventsAfter: () => [], mostMessages: Infinity };

const log = at(9, { type: "log", note: "n", level: "info", text: "x" });
const status = at(3, { type: "agent-status", agent: "Coder", status: "idle" });

test("a selector matches when every member that is given does, names without case", () => {
  const matches = (selector: Parameters<typeof matchesSelector>[0], event: JournalEvent) =>
    matchesSelector(selector, event);
  const kinds = ["message"] as const;
  expect(matches({ kinds }, message(1))).toBe(true);
  expect(matches({ kinds: ["turn-ended"] }, message(1))).toBe(false);
  expect(matches({ kinds, from: ["LEAD"] }, message(1))).toBe(true);
  expect(matches({ kinds, from: ["coder"] }, message(1))).toBe(false);
  expect(matches({ kinds, to: ["coder"] }, message(1, { to: ["Coder"] }))).toBe(true);
  expect(matches({ kinds, to: ["coder"] }, message(1, { mentions: ["coder"] }))).toBe(true);
  expect(matches({ kinds, to: ["coder"] }, message(1, { to: ["x"], mentions: ["coder"] }))).toBe(
    false,
  );
  expect(matches({ kinds, channel: "main" }, message(1, { channel: "main" }))).toBe(true);
  expect(matches({ kinds, channel: "main" }, message(1))).toBe(false);
  expect(matches({ kinds, signals: ["done"] }, message(1, { signals: ["DONE"] }))).toBe(true);
  expect(matches({ kinds, from: ["lead"], signals: ["done"] }, message(1))).toBe(false);
  expect(matches({ kinds: ["agent-status"], from: ["coder"] }, status)).toBe(true);
});

test("events that are no facts match nothing", () => {
  expect([isFact(message(1)), isFact(status), isFact(log)]).toEqual([true, true, false]);
  expect(matchesSelector({ kinds: ["message"] }, log)).toBe(false);
});

const signal = { kind: "done", value: "", by: "text" } as const;

const told = { agent: "ann", turn: 1 };

interface FactRow {
  readonly event: EventData;
  readonly kinds: readonly SelectorKind[];
}

test.each<FactRow>([
  {
    event: { type: "turn-started", ...told, attempt: 1, session: "s", key: "k", items: [] },
    kinds: ["turn-started"],
  },
  {
    event: {
      ...{ type: "turn-completed", ...told, text: "", stopReason: "end_turn" },
      signals: [signal],
    },
    kinds: ["turn-ended"],
  },
  {
    event: { type: "turn-failed", ...told, error: { code: "X", message: "m" } },
    kinds: ["turn-ended"],
  },
  { event: { type: "agent-status", agent: "ann", status: "idle" }, kinds: ["agent-status"] },
  { event: { type: "agent-ready", agent: "ann", session: "s" }, kinds: ["agent-status"] },
  {
    event: { type: "agent-exited", agent: "ann", reason: "released" },
    kinds: ["agent-status", "agent-exited"],
  },
  { event: { type: "signal-received", ...told, signal, counted: true }, kinds: ["signal"] },
  {
    event: { type: "request-received", ...told, request: "r", tool: "t", arguments: null },
    kinds: ["request"],
  },
  {
    event: {
      ...{ type: "document-changed", document: "d", revision: 1, by: "ann" },
      change: { kind: "write", text: "" },
    },
    kinds: ["document"],
  },
  { event: { type: "file-changed", ...told, path: "a", kind: "edit" }, kinds: ["file"] },
  { event: { type: "message-dead", agent: "ann", id: "m", attempts: 3 }, kinds: ["dead-letter"] },
])("$event.type is a fact of $kinds", ({ event, kinds }) => {
  const every: readonly SelectorKind[] = [
    ...(["message", "turn-started", "turn-ended", "agent-status", "agent-exited"] as const),
    ...(["request", "signal", "child-ended", "document", "file", "dead-letter"] as const),
  ];
  const found = every.filter((kind) => matchesSelector({ kinds: [kind] }, at(1, event)));
  expect(found).toEqual(kinds);
  expect(matchesSelector({ kinds, from: ["ann"] }, at(1, event))).toBe(true);
  expect(matchesSelector({ kinds, from: ["somebody", "ann"] }, at(1, event))).toBe(true);
  expect(matchesSelector({ kinds, from: ["somebody"] }, at(1, event))).toBe(false);
});

test("the signals of a turn are those that it ended with, those of an agent the ones that count", () => {
  const ended: EventData = {
    ...{ type: "turn-completed", ...told, text: "", stopReason: "end_turn" },
    signals: [signal],
  };
  const received = (counted: boolean) =>
    at(1, { type: "signal-received", ...told, signal, counted });
  const matches = (kinds: readonly SelectorKind[], name: string, event: JournalEvent) =>
    matchesSelector({ kinds, signals: [name] }, event);
  expect(matches(["turn-ended"], "done", at(1, ended))).toBe(true);
  expect(matches(["turn-ended"], "other", at(1, ended))).toBe(false);
  expect(matches(["signal"], "done", received(true))).toBe(true);
  expect(matches(["signal"], "other", received(true))).toBe(false);
  expect(matches(["signal"], "done", received(false))).toBe(false);
});

test("facts are found after a seq and by their seq", () => {
  const facts = new FactStream(KEEPS_ALL);
  for (const event of [message(2), status, log, message(12)]) facts.add(event);
  const seqAfter = (seq: number) => facts.firstAfter({ kinds: ["message"] }, seq)?.seq;
  expect([0, 1, 2, 11, 12].map(seqAfter)).toEqual([2, 2, 12, 12, undefined]);
  expect([facts.at(3)?.seq, facts.at(12)?.seq, facts.at(9), facts.at(1)]).toEqual([
    3,
    12,
    undefined,
    undefined,
  ]);
});

test("of messages and other facts the earlier one is found first", () => {
  const facts = new FactStream(KEEPS_ALL);
  const seqAfter = (seq: number) =>
    facts.firstAfter({ kinds: ["message", "agent-status"] }, seq)?.seq;
  for (const event of [message(2), status, message(5), { ...status, seq: 7 }]) facts.add(event);
  expect([0, 2, 3, 5, 7].map(seqAfter)).toEqual([2, 3, 5, 7, undefined]);
});

test("a message in a channel is found by whoever asks for no channel", () => {
  expect(matchesSelector({ kinds: ["message"] }, message(1, { channel: "main" }))).toBe(true);
});

test("each waiter takes one matching fact; those who stopped take none", () => {
  const facts = new FactStream(KEEPS_ALL);
  const taken: string[] = [];
  const wait = (name: string, kinds: ("message" | "agent-status")[]) =>
    facts.wait({ kinds }, (event) => void taken.push(`${name} ${event.seq}`));
  wait("a", ["message"]);
  wait("b", ["message"]);
  const stop = wait("c", ["message"]);
  wait("d", ["agent-status"]);
  stop();
  facts.add(message(1));
  facts.add(message(2));
  expect(taken).toEqual(["a 1", "b 1"]);
});

test("messages that are kept no more are found as if they were [P10]", () => {
  const kinds = ["message", "agent-status"] as const;
  const anyEvents = fc.array(fc.constantFrom("a", "b", "status", "log"), { maxLength: 40 });
  const anyKinds = fc.subarray([...kinds], { minLength: 1 });
  const anyFrom = fc.constantFrom("a", "b", "Coder");
  fc.assert(
    fc.property(anyEvents, anyKinds, anyFrom, (given, wanted, from) => {
      const events = given.map((kind, index) => {
        if (kind === "status") return { ...status, seq: index + 1 };
        return kind === "log" ? { ...log, seq: index + 1 } : message(index + 1, { from: kind });
      });
      const eventsAfter = (seq: number) => events.slice(seq);
      const some = new FactStream({ eventsAfter, mostMessages: 2 });
      const all = new FactStream(KEEPS_ALL);
      for (const event of events) {
        some.add(event);
        all.add(event);
      }
      const selector = { kinds: wanted, from: [from] };
      for (let seq = 0; seq <= events.length; seq += 1) {
        expect(some.firstAfter(selector, seq)).toEqual(all.firstAfter(selector, seq));
        expect(some.at(seq)).toEqual(all.at(seq));
      }
    }),
  );
});
