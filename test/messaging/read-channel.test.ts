import { expect, test } from "vitest";
import type { EventData } from "../../src/contracts/events/event.ts";
import { foldAll } from "../../src/fold/fold.ts";
import { readChannel } from "../../src/messaging/read-channel.ts";

const AT = Date.UTC(2026, 0, 1);

/** A run whose channel got these messages, all within the same millisecond. */
function channelOf(count: number) {
  const posts = Array.from(
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
  return foldAll(
    "run_test",
    posts.map((post, index) => ({ seq: index + 1, at: AT, ...post })),
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
