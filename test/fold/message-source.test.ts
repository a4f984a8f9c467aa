import fc from "fast-check";
import { expect, test } from "vitest";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import { fold } from "../../src/fold/fold.ts";
import { newestFirst, pendingMessages, unseenBy } from "../../src/fold/message-reading.ts";
import {
  allMessages,
  findMessage,
  isPostedUnder,
  type MessageSource,
  messageAt,
  messageUnder,
} from "../../src/fold/state/message-source.ts";
import { emptyRunState } from "../../src/fold/state/run-state.ts";
import { readMentions } from "../../src/messaging/agent-inbox.ts";
import { readChannel } from "../../src/messaging/read-channel.ts";
import { created, journal, spawned, started } from "./journal-builder.ts";

const AGENTS = ["a", "b", "c"] as const;
const ids = Array.from({ length: 60 }, (_, index) => `m${index}`);

const anyPosted = fc.record({
  from: fc.constantFrom(...AGENTS, "user"),
  to: fc.option(fc.subarray([...AGENTS], { minLength: 1 }), { nil: undefined }),
  channel: fc.constantFrom("main", "side"),
  mentions: fc.subarray([...AGENTS]),
  text: fc.constantFrom("x", "y".repeat(40)),
  isKeyed: fc.boolean(),
  isAcked: fc.boolean(),
});
const anyJournal = fc.array(anyPosted, { maxLength: ids.length }).map((posts) =>
  journal([
    created,
    started,
    ...AGENTS.map((id) => spawned(id)),
    ...posts.flatMap(({ from, to, channel, mentions, text, isKeyed, isAcked }, index) => {
      const id = ids[index] ?? "";
      const place = to === undefined ? { channel } : { to };
      const key = isKeyed ? { key: `key/${id}` } : {};
      const post = {
        type: "message-posted",
        id,
        from,
        text,
        mentions,
        signals: [],
        ...place,
        ...key,
      } as const;
      return isAcked ? [post, { type: "message-acked", agent: "a", ids: [id] } as const] : [post];
    }),
  ]),
);

function sourceOf(events: readonly JournalEvent[], mostMessages?: number): MessageSource {
  const state = emptyRunState("run_a", mostMessages === undefined ? {} : { mostMessages });
  for (const event of events) fold(state, event);
  return { state, eventsAfter: (seq) => events.slice(seq) };
}

/** All that anybody can ask of the messages of a run. */
function answers(source: MessageSource, lastSeq: number): unknown {
  const seqs = Array.from({ length: lastSeq + 1 }, (_, seq) => seq);
  const { state } = source;
  return {
    count: state.messages.count,
    all: [...allMessages(source)],
    at: seqs.map((seq) => messageAt(source, seq)),
    byId: [...ids, "none"].map((id) => findMessage(source, id)),
    byKey: ids.map((id) => [
      isPostedUnder(state, `key/${id}`),
      messageUnder(source, `key/${id}`)?.id,
    ]),
    newestFirst: ["main", "side"].map((channel) => [
      ...newestFirst(source, state.messages.byChannel.get(channel) ?? []),
    ]),
    stretches: seqs.map((since) => readChannel(source, { channel: "main", since, limit: 3 })),
    newest: readChannel(source, { channel: "main", limit: 3 }),
    sinceTime: readChannel(source, { channel: "main", since: "2026-01-01T10:00:20.000Z" }),
    readers: AGENTS.map((agent) => [
      readMentions(source, agent, { unreadOnly: true, limit: 4 }),
      readMentions(source, agent, { unreadOnly: false, limit: 4 }),
      pendingMessages(source, agent),
      pendingMessages(source, agent, 2),
      ...seqs.map((after) => unseenBy(source, agent, { after, channel: "main", limit: 3 })),
    ]),
  };
}

test("messages that the fold keeps no more are read from the journal as if it did [P10, MSG-5]", () => {
  fc.assert(
    fc.property(anyJournal, fc.constantFrom(1, 2, 5), (events, most) => {
      const some = sourceOf(events, most);
      expect(answers(some, events.length)).toEqual(answers(sourceOf(events), events.length));
      expect(some.state.messages.recent.length).toBeLessThanOrEqual(2 * most);
    }),
    { numRuns: 60 },
  );
});

test("long texts leave memory before many short ones do", () => {
  const events = journal(
    Array.from({ length: 40 }, (_, index) => ({
      type: "message-posted",
      id: `m${index}`,
      from: "user",
      text: "x".repeat(1_000_000),
      mentions: [],
      signals: [],
    })),
  );
  const { messages } = sourceOf(events, 1000).state;
  expect(messages.count).toBe(40);
  expect(messages.recentChars).toBe(messages.recent.length * 1_000_000);
  expect(messages.recentChars).toBeLessThanOrEqual(16_000_000);
});

test("a fold of some messages without its journal says so", () => {
  const events = journal(
    ids.slice(0, 9).map((id) => ({
      type: "message-posted",
      id,
      from: "user",
      text: "x",
      mentions: [],
      signals: [],
    })),
  );
  const { state } = sourceOf(events, 2);
  expect(findMessage({ state }, "m8")?.id).toBe("m8");
  expect(() => findMessage({ state }, "m0")).toThrow("journal");
});
