import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentSpec } from "../../src/contracts/agent.ts";
import type { MessageDraft } from "../../src/contracts/message.ts";
import { findMailbox } from "../../src/fold/state/agent-lookup.ts";
import { createMemoryStore } from "../../src/journal/memory-store.ts";
import { ackInbox, readMentions, takeMessages } from "../../src/messaging/agent-inbox.ts";
import { turnStarted } from "../fold/journal-builder.ts";
import { type MessageRun, openMessageRun } from "./message-run.ts";

let run: MessageRun;

beforeEach(async () => {
  run = await openMessageRun(createMemoryStore(), { agents: ["a", "b", "c"] });
});

afterEach(() => run.letGo());

/** Sends and gives the id of what was sent. */
function send(from: string, draft: MessageDraft): string {
  const result = run.send(from, draft);
  return "id" in result ? result.id : "";
}

function ack(agent: string, turn: number, choice: Parameters<typeof ackInbox>[2]) {
  return ackInbox(run.runtime, { agent, turn }, choice);
}

const eventCount = () => [...run.runtime.eventsAfter(0)].length;

const nothing = { acked: [], settled: [], elsewhere: [], unknown: [] };

describe("what was written to an agent", () => {
  const texts = (agent: string, unreadOnly: boolean, limit: number) => {
    const { messages, hasMore } = readMentions(run.runtime, agent, { unreadOnly, limit });
    return [messages.map(({ text }) => text), hasMore];
  };

  test("is read from the newest back, or what is unread from the oldest on", () => {
    for (const text of ["@a one", "@a two", "@b other", "@a three"]) send("c", { text });
    expect(texts("a", false, 2)).toEqual([["@a two", "@a three"], true]);
    expect(texts("A", false, 3)).toEqual([["@a one", "@a two", "@a three"], false]);
    expect(texts("a", true, 2)).toEqual([["@a one", "@a two"], true]);
    expect(texts("A", true, 3)).toEqual([["@a one", "@a two", "@a three"], false]);
    for (const isUnread of [true, false]) expect(texts("c", isUnread, 5)).toEqual([[], false]);
  });

  test("is unread until it is acked", () => {
    const first = send("c", { text: "@a one" });
    send("c", { text: "two", to: ["a"] });
    ack("a", 1, { ids: [first] });
    expect(texts("a", true, 5)).toEqual([["two"], false]);
    expect(texts("a", false, 5)).toEqual([["@a one", "two"], false]);
  });

  test("is not what a shadow only sees of others", () => {
    const shadow = { of: "a", receiveIncoming: true, receiveOutgoing: true, speakOn: [] };
    const spec: AgentSpec = { id: "eye", backend: "script", shadow };
    run.append({ type: "agent-spawned", agent: "eye", backend: "script", spec });
    send("c", { text: "@a one" });
    send("c", { text: "@eye two" });
    expect(findMailbox(run.runtime.state, "eye")?.items.size).toBe(2);
    expect(texts("eye", true, 5)).toEqual([["@eye two"], false]);
  });
});

describe("what a turn is shown", () => {
  test("counts as delivered to it, once, and only what is in its inbox", () => {
    const ids = [send("c", { text: "@a one" }), send("c", { text: "@a two" })];
    send("c", { text: "to nobody" });
    const delivered = () => {
      const items = findMailbox(run.runtime.state, "a")?.items;
      return ids.map((id) => items?.get(id)?.turn);
    };
    const { recent } = run.runtime.state.messages;
    run.append(turnStarted("a", 1), turnStarted("a", 2));
    takeMessages(run.runtime, { agent: "a", turn: 1 }, recent.slice(0, 1));
    expect(delivered()).toEqual([1, undefined]);
    takeMessages(run.runtime, { agent: "a", turn: 2 }, recent);
    expect(delivered()).toEqual([1, 2]);
    const before = eventCount();
    takeMessages(run.runtime, { agent: "a", turn: 2 }, recent);
    takeMessages(run.runtime, { agent: "c", turn: 1 }, recent);
    expect(eventCount()).toBe(before);
  });
});

describe("acks", () => {
  test("are told apart by what became of each message [MSG-3]", () => {
    const [waiting, acked, taken, own] = ["1", "2", "3", "4"].map((text) =>
      send("c", { text, to: ["a"] }),
    );
    const other = send("c", { text: "@b" });
    run.append(
      turnStarted("a", 1, { messages: [taken ?? ""] }),
      turnStarted("a", 2, { messages: [own ?? ""] }),
    );
    expect(ack("a", 2, { ids: [acked ?? ""] })).toEqual({ ...nothing, acked: [acked] });
    const ids = [waiting, acked, taken, own, other, "none", waiting].map((id) => id ?? "");
    expect(ack("a", 2, { ids })).toEqual({
      acked: [waiting, own],
      settled: [acked],
      elsewhere: [taken],
      unknown: [other, "none"],
    });
    const before = eventCount();
    expect(ack("a", 2, { ids: ["none"] })).toEqual({ ...nothing, unknown: ["none"] });
    expect(eventCount()).toBe(before);
  });

  test("up to a place take what is left up to there, but for what another turn has [MSG-3]", () => {
    const [first = "", second = "", third = "", fourth = ""] = ["1", "2", "3", "4"].map((text) =>
      send("c", { text, to: ["a"] }),
    );
    run.append(turnStarted("a", 1, { messages: [second] }), turnStarted("a", 2));
    expect(ack("a", 2, { upTo: third })).toEqual({ ...nothing, acked: [first, third] });
    const seq = run.runtime.state.messages.recent.at(-1)?.seq ?? 0;
    expect(ack("a", 2, { upTo: seq - 1 })).toEqual(nothing);
    expect(ack("a", 1, { upTo: `${seq}` })).toEqual({ ...nothing, acked: [second, fourth] });
    expect(ack("b", 1, { upTo: seq })).toEqual(nothing);
    for (const place of ["nothing", "1x", "-1", "1".repeat(16)])
      expect(() => ack("a", 1, { upTo: place })).toThrow(
        expect.objectContaining({ code: "MESSAGE_UNKNOWN", details: { message: place } }),
      );
  });

  test("of an inbox that there is not find nothing [MSG-3]", () => {
    const id = send("a", { text: "@b" });
    for (const agent of ["c", "nobody"]) {
      expect(ack(agent, 1, { ids: [id] })).toEqual({ ...nothing, unknown: [id] });
      expect(ack(agent, 1, { upTo: id })).toEqual(nothing);
    }
  });

  test("of a shadow settle what it got of others once, as far as it gets that [MSG-10]", () => {
    const eye = (id: string, receives: { readonly in: boolean; readonly out: boolean }) => {
      const shadow = {
        of: "A",
        receiveIncoming: receives.in,
        receiveOutgoing: receives.out,
        speakOn: [],
      };
      const spec: AgentSpec = { id, backend: "script", shadow };
      run.append({ type: "agent-spawned", agent: id, backend: "script", spec });
    };
    eye("both", { in: true, out: true });
    eye("incoming", { in: true, out: false });
    eye("outgoing", { in: false, out: true });
    const ids = [
      send("c", { text: "x", to: ["a"] }),
      send("a", { text: "y" }),
      send("c", { text: "@b z" }),
    ];
    const [into = "", out = "", aside = ""] = ids;
    for (const agent of ["both", "incoming", "outgoing", "b"]) ack(agent, 1, { ids });
    const again = ["both", "incoming", "outgoing", "b"].map((agent) => ack(agent, 1, { ids }));
    expect(again.map(({ settled, unknown }) => ({ settled, unknown }))).toEqual([
      { settled: [into, out], unknown: [aside] },
      { settled: [into], unknown: [out, aside] },
      { settled: [out], unknown: [into, aside] },
      { settled: [aside], unknown: [into, out] },
    ]);
  });
});
