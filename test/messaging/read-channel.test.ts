import { expect, test } from "vitest";
import type { AgentSpec } from "../../src/contracts/agent.ts";
import type { EventData } from "../../src/contracts/events/event.ts";
import { fold, foldAll } from "../../src/fold/fold.ts";
import { channelsOf, readChannel, readOwnChannel } from "../../src/messaging/read-channel.ts";

const AT = Date.UTC(2026, 0, 1);

function channelEvents(count: number): readonly EventData[] {
  return Array.from(
    { length: count },
    (_, index): EventData => ({
      type: "message-posted",
      id: `m${index + 1}`,
      from: "user",
      channel: "main",
      text: `text ${index + 1}`,
      mentions: [],
      signals: [],
    }),
  );
}

/** A run whose channel got these messages, all within the same millisecond. */
function channelOf(count: number) {
  return foldAll(
    "run_test",
    channelEvents(count).map((post, index) => ({ seq: index + 1, at: AT, ...post })),
  );
}

test("reading on by position loses nothing to equal times, and says where to go on [MSG-5]", () => {
  const state = channelOf(25);
  const seen: string[] = [];
  let since = 0;
  for (let hasMore = true; hasMore; ) {
    const stretch = readChannel({ state }, { channel: "main", since, limit: 10 });
    seen.push(...stretch.messages.map((message) => message.id));
    since = stretch.next;
    hasMore = stretch.hasMore;
  }
  expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => `m${index + 1}`));
  expect(readChannel({ state }, { channel: "main", since }).messages).toEqual([]);
});

test("since is the id or seq of a message or an ISO time, whose own millisecond is included [MSG-5]", () => {
  const state = channelOf(5);
  const after = (since: string | number) =>
    readChannel({ state }, { channel: "main", since }).messages.map((message) => message.id);
  expect(after("m3")).toEqual(["m4", "m5"]);
  expect(after(4)).toEqual(["m5"]);
  expect(after("4")).toEqual(["m5"]);
  expect(after(new Date(AT).toISOString())).toHaveLength(5);
  expect(after(new Date(AT + 1).toISOString())).toEqual([]);
  expect(() => after("nonsense")).toThrow(/no place in channel "main"/);
});

test("without since the newest come, oldest first [MSG-5]", () => {
  const { messages, hasMore } = readChannel(
    { state: channelOf(60) },
    { channel: "main", limit: 2 },
  );
  expect([messages.map((message) => message.id), hasMore]).toEqual([["m59", "m60"], false]);
});

test("fifty come at once unless another number is asked for, with where to go on [MSG-5]", () => {
  const state = channelOf(60);
  const read = (query: { readonly since?: string | number; readonly limit?: number }) => {
    const { messages, ...rest } = readChannel({ state }, { channel: "main", ...query });
    return [messages.length, messages[0]?.id, rest];
  };
  expect(read({})).toEqual([50, "m11", { next: 60, hasMore: false }]);
  expect(read({ since: 0 })).toEqual([50, "m1", { next: 50, hasMore: true }]);
  expect(read({ since: 10 })).toEqual([50, "m11", { next: 60, hasMore: false }]);
  expect(read({ since: 10, limit: 49 })).toEqual([49, "m11", { next: 59, hasMore: true }]);
  expect(read({ since: "12", limit: 3 })).toEqual([3, "m13", { next: 15, hasMore: true }]);
  expect(read({ limit: 0 })).toEqual([0, undefined, { next: 60, hasMore: false }]);
  expect(read({ since: 60 })).toEqual([0, undefined, { next: 60, hasMore: false }]);
  expect(readChannel({ state }, { channel: "other" })).toEqual({
    messages: [],
    next: 0,
    hasMore: false,
  });
});

test("an ISO time leaves out what was written before it, and a place that is none is refused [MSG-5]", () => {
  const [first, second] = channelEvents(2);
  const state = foldAll("run_a", [
    ...(first === undefined ? [] : [{ seq: 1, at: AT + 1000, ...first }]),
    ...(second === undefined ? [] : [{ seq: 2, at: AT + 2000, ...second }]),
  ]);
  const after = (since: string) =>
    readChannel({ state }, { channel: "main", since }).messages.map(({ id }) => id);
  expect(after(new Date(AT + 2000).toISOString())).toEqual(["m2"]);
  expect(after(new Date(AT + 1001).toISOString())).toEqual(["m2"]);
  expect(after(new Date(AT + 1000).toISOString())).toEqual(["m1", "m2"]);
  for (const since of ["x1", "1x", "9".repeat(16)])
    expect(() => after(since)).toThrow(
      expect.objectContaining({
        code: "MESSAGE_UNKNOWN_POSITION",
        details: { since, channel: "main" },
      }),
    );
});

test("an agent that is told of channels reads these and no other, one that is not reads all [MSG-5]", () => {
  const spec: AgentSpec = { id: "a", backend: "script", channels: ["side", "main"] };
  const state = channelOf(2);
  const [declared, free] = [spec, { id: "b", backend: "script" }].map(
    (each): EventData => ({ type: "agent-spawned", agent: each.id, backend: "script", spec: each }),
  );
  for (const [index, event] of [declared, free].entries())
    if (event !== undefined) fold(state, { seq: 3 + index, at: AT, ...event });
  const read = (agent: string, channel?: string) => {
    const query = channel === undefined ? {} : { channel };
    const own = { agent, mainChannel: "main" };
    return readOwnChannel({ state }, own, query).messages.map(({ id }) => id);
  };
  expect([read("a"), read("a", "#main"), read("b"), read("b", "side"), read("b", "ma#in")]).toEqual(
    [[], ["m1", "m2"], ["m1", "m2"], [], []],
  );
  expect(read("user")).toEqual(["m1", "m2"]);
  expect(() => read("a", "other")).toThrow(
    expect.objectContaining({
      code: "MESSAGE_CHANNEL_REFUSED",
      details: { agent: "a", channel: "other", own: ["side", "main"] },
    }),
  );
  expect(["a", "b", "user"].map((reader) => channelsOf(state, reader, "main"))).toEqual([
    ["side", "main"],
    ["main"],
    ["main"],
  ]);
});
