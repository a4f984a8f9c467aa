import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Message } from "../../src/contracts/message.ts";
import type { RunStore } from "../../src/contracts/ports/store.ts";
import { MOST_MESSAGES } from "../../src/engine/run-journal.ts";
import { pendingMessages } from "../../src/fold/message-reading.ts";
import { createMemoryStore } from "../../src/journal/memory-store.ts";
import { editDocument, readDocument } from "../../src/messaging/edit-document.ts";
import { readResource } from "../../src/messaging/message-body.ts";
import { postMessage } from "../../src/messaging/post-message.ts";
import { readChannel } from "../../src/messaging/read-channel.ts";
import { MAX_MESSAGES_PER_MINUTE } from "../../src/messaging/sending-rate.ts";
import { createManualClock } from "../../src/testing/manual-clock.ts";
import { createTemporaryStore } from "../journal/temporary-store.ts";
import { type MessageRun, openMessageRun } from "./message-run.ts";

// One messaging, whatever keeps the journal: every test runs over both stores.

interface StoreCase {
  readonly name: string;
  open(): { readonly store: RunStore; cleanup(): Promise<void> };
}

const CASES: readonly StoreCase[] = [
  { name: "memory", open: () => ({ store: createMemoryStore(), cleanup: async () => {} }) },
  { name: "SQLite", open: createTemporaryStore },
];

const texts = (messages: readonly Message[]) => messages.map(({ text }) => text);

describe.each(CASES)("messages over the $name store", ({ open }) => {
  let opened: ReturnType<StoreCase["open"]>;
  let run: MessageRun;
  const clock = createManualClock();

  beforeEach(async () => {
    opened = open();
    run = await openMessageRun(opened.store, { clock });
  });

  afterEach(async () => {
    await run.letGo();
    await opened.cleanup();
  });

  const goOn = async () => {
    await run.letGo();
    run = await openMessageRun(opened.store, { clock });
  };
  const channel = (name: string, since = 0) => readChannel(run.runtime, { channel: name, since });

  test("whoever has read everything posts; whoever has not gets what others wrote, and posts nothing [MSG-6]", () => {
    const first = run.send("a", { text: "one" });
    expect(first).toMatchObject({ status: "posted" });
    const seen = "seq" in first ? first.seq : 0;
    run.send("b", { text: "two" });
    run.send("b", { text: "elsewhere", channel: "side" });
    run.send("c", { text: "for a alone", to: ["a"] });
    run.send("a", { text: "my own" });
    const behind = run.send("a", { text: "three", lastSeen: seen });
    expect(behind).toMatchObject({ status: "behind", hasMore: false });
    expect("messages" in behind && texts(behind.messages)).toEqual(["two", "for a alone"]);
    expect(texts(channel("main").messages)).toEqual(["one", "two", "my own"]);
    const next = "next" in behind ? behind.next : 0;
    expect(run.send("a", { text: "three", lastSeen: next }).status).toBe("posted");
    expect(run.send("a", { text: "four", lastSeen: 0, force: true }).status).toBe("posted");
    // Who writes to somebody directly cares for what was written to itself, not for the channel.
    expect(run.send("b", { text: "five", to: ["c"], lastSeen: 0 }).status).toBe("posted");
  });

  test("a sender far behind gets the oldest first, in parts [MSG-6]", () => {
    for (let index = 1; index <= 60; index += 1) run.send("b", { text: `${index}` });
    const first = run.send("a", { text: "x", lastSeen: 0 });
    expect(first).toMatchObject({ status: "behind", hasMore: true });
    expect("messages" in first && texts(first.messages)).toEqual(
      Array.from({ length: 50 }, (_, index) => `${index + 1}`),
    );
    const second = run.send("a", { text: "x", lastSeen: "next" in first ? first.next : 0 });
    expect(second).toMatchObject({ status: "behind", hasMore: false });
    expect("messages" in second && second.messages).toHaveLength(10);
  });

  test("a retried key gets its first receipt, whatever others wrote since, also from the next owner [MSG-3, MSG-6]", async () => {
    const receipt = run.send("a", { text: "once @b", lastSeen: 0 }, "key");
    run.send("b", { text: "meanwhile" });
    expect(run.send("a", { text: "once @b", lastSeen: 0 }, "key")).toEqual(receipt);
    await goOn();
    expect(run.send("a", { text: "once @b", lastSeen: 0 }, "key")).toEqual(receipt);
    expect(texts(channel("main").messages)).toEqual(["once @b", "meanwhile"]);
  });

  test("an agent may send so many messages a minute; people, Troupe and retries are never refused [MSG-9, T14]", async () => {
    for (let index = 1; index < MAX_MESSAGES_PER_MINUTE; index += 1) run.send("a", { text: "x" });
    await clock.advance(10_000);
    const last = run.send("a", { text: "the last" }, "last");
    expect(() => run.send("a", { text: "too many" })).toThrowError(
      expect.objectContaining({
        code: "MESSAGE_RATE_EXCEEDED",
        retryable: true,
        details: expect.objectContaining({ from: "a", afterMs: 50_000 }),
      }),
    );
    expect(run.send("a", { text: "the last" }, "last")).toEqual(last);
    expect(run.send("b", { text: "others go on" }).status).toBe("posted");
    for (let index = 0; index <= MAX_MESSAGES_PER_MINUTE; index += 1)
      postMessage(run.runtime, {
        from: "user",
        draft: { text: "hm" },
        key: `${index}`,
        mainChannel: "main",
      });
    await goOn();
    expect(() => run.send("a", { text: "too many" })).toThrow(/120 messages within a minute/);
    await clock.advance(49_999);
    expect(() => run.send("a", { text: "too early" })).toThrow(/within a minute/);
    await clock.advance(1);
    expect(run.send("a", { text: "again" }).status).toBe("posted");
  });

  test("a long text travels as its beginning, with mentions and signals of the whole, and is read in parts [MSG-9, MSG-2]", async () => {
    const line = "All that was found, line after line. 🎭\n";
    const whole = `${line.repeat(600)}@b look at the end\nDONE: all of it\n`;
    run.send("a", { text: whole });
    await run.runtime.flushed();
    await goOn();
    const [message] = channel("main").messages;
    const { text = "", body, mentions, signals } = message ?? {};
    expect([mentions, signals]).toEqual([["b"], ["done"]]);
    expect(whole.startsWith(text)).toBe(true);
    expect([text.length < 2000, text.endsWith("🎭")]).toEqual([true, true]);
    expect(body?.sizeBytes).toBe(Buffer.byteLength(whole));
    let read = "";
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const part = readResource(run.runtime, { ref: body?.ref ?? "", offset, limit: 1000 });
      expect(part.text.isWellFormed()).toBe(true);
      read += part.text;
      offset = part.next;
    }
    expect(read).toBe(whole);
    expect(pendingMessages(run.runtime, "b").map((item) => item.message.id)).toEqual([message?.id]);
  });

  test("only texts that a message refers to can be read, not what else the journal keeps [MSG-9, T3]", () => {
    const { definitionHash } = run.runtime.state.run;
    for (const ref of [definitionHash, "f".repeat(64), "__proto__", ""])
      expect(() => readResource(run.runtime, { ref })).toThrowError(
        expect.objectContaining({ code: "MESSAGE_UNKNOWN_RESOURCE" }),
      );
  });

  test("texts of 16 KiB travel whole; beyond 1 MiB they are refused [MSG-9]", () => {
    run.send("a", { text: "x".repeat(16_384) });
    run.send("a", { text: "€".repeat(5461) });
    run.send("a", { text: "x".repeat(16_385) });
    expect(
      channel("main").messages.map(({ text, body }) => [text.length, body?.sizeBytes]),
    ).toEqual([
      [16_384, undefined],
      [5461, undefined],
      [2000, 16_385],
    ]);
    run.send("a", { text: "x".repeat(1_048_576) });
    expect(() => run.send("a", { text: "x".repeat(1_048_577) })).toThrow(/at most 1048576/);
  });

  test("channels come into being with their first message, each with its own order and readers [MSG-3, MSG-5]", async () => {
    run.send("a", { text: "in main" });
    run.send("a", { text: "aside @b", channel: "#side" });
    run.send("b", { text: "alone", to: ["@A", "c"] });
    run.send("b", { text: "in main, in a thread", threadId: "t1" });
    await goOn();
    expect(texts(channel("main").messages)).toEqual(["in main", "in main, in a thread"]);
    expect(channel("main").messages.at(-1)?.threadId).toBe("t1");
    expect(texts(channel("side").messages)).toEqual(["aside @b"]);
    expect(channel("nobody-wrote-here")).toMatchObject({ messages: [], hasMore: false });
    expect(() => run.send("a", { text: "x", channel: "no such name" })).toThrow(
      /name of a channel/,
    );
    expect(() => run.send("a", { text: "x", to: ["nobody"] })).toThrow(/no agent/);
    const inbox = (agent: string) =>
      texts(pendingMessages(run.runtime, agent).map(({ message }) => message));
    expect([inbox("a"), inbox("b"), inbox("c")]).toEqual([["alone"], ["aside @b"], ["alone"]]);
  });

  test("acks, attempts and dead letters survive the owner and never go back [MSG-3]", async () => {
    for (const text of ["first", "second", "third"]) run.send("a", { text, to: ["b"] });
    const ids = run.runtime.state.messages.recent.map(({ id }) => id);
    const [first = "", second = "", third = ""] = ids;
    const turn = { agent: "b", turn: 1 } as const;
    run.append(
      {
        type: "turn-started",
        ...turn,
        attempt: 1,
        session: "b/main",
        key: "k",
        items: ids.map((id) => ({ kind: "message", id })),
      },
      { type: "message-acked", agent: "b", ids: [first] },
      { type: "turn-failed", ...turn, error: { code: "X", message: "broke" } },
      { type: "message-dead", agent: "b", id: third, attempts: 5 },
      { type: "message-acked", agent: "b", ids: [first, third, "unknown"] },
    );
    await goOn();
    const { state } = run.runtime;
    expect(
      pendingMessages(run.runtime, "b").map(({ message, attempts }) => [message.id, attempts]),
    ).toEqual([[second, 1]]);
    expect(state.deadLetters).toMatchObject([{ agent: "b", id: third, attempts: 5 }]);
  });

  test("documents keep their revisions over owners; a key edits once [MSG-8, MSG-9]", async () => {
    const edit = { kind: "append", text: "line\n" } as const;
    editDocument(run.runtime, { by: "a", edit, key: "k1" });
    editDocument(run.runtime, { by: "b", edit: { ...edit, name: "plan" }, key: "k2" });
    await goOn();
    editDocument(run.runtime, { by: "a", edit, key: "k1" });
    editDocument(run.runtime, { by: "c", edit, key: "k3" });
    expect(readDocument(run.runtime.state)).toMatchObject({
      revision: 2,
      text: "line\nline\n",
      by: "c",
    });
    expect(readDocument(run.runtime.state, "plan")).toMatchObject({ revision: 1, by: "b" });
  });

  test("messages that have left the owner's memory are found, durable already or not [P10, MSG-5]", async () => {
    const first = run.send("a", { text: "@b the first" }, "first");
    for (let sent = 0; sent < 3 * MOST_MESSAGES; sent += 1)
      postMessage(run.runtime, {
        from: "system",
        draft: { text: `later ${sent}` },
        key: `later/${sent}`,
        mainChannel: "main",
      });
    const look = () => {
      const { state } = run.runtime;
      expect(state.messages.recent.length).toBeLessThanOrEqual(2 * MOST_MESSAGES);
      expect(run.send("a", { text: "@b the first" }, "first")).toEqual(first);
      expect(texts(channel("main").messages).slice(0, 2)).toEqual(["@b the first", "later 0"]);
      expect(texts(pendingMessages(run.runtime, "b").map(({ message }) => message))).toEqual([
        "@b the first",
      ]);
      return state.messages.count;
    };
    const before = look();
    await run.runtime.flushed();
    expect(look()).toBe(before);
    await goOn();
    expect(look()).toBe(before);
  });

  test("what the owner has is what any reader of the journal folds [MSG-9]", async () => {
    run.send("a", { text: `@b ${"long ".repeat(5000)}` });
    run.send("b", { text: "@all done", channel: "side" });
    run.send("c", { text: "psst", to: ["a", "b"] });
    editDocument(run.runtime, { by: "a", edit: { kind: "write", text: "notes" }, key: "k" });
    await run.runtime.flushed();
    const { messages, mailboxes, documents } = run.stored();
    const { state } = run.runtime;
    expect({ messages, mailboxes, documents }).toEqual({
      messages: { ...state.messages, most: Infinity },
      mailboxes: state.mailboxes,
      documents: state.documents,
    });
  });
});

test("a secret that a long text holds reaches neither the text that is kept nor its beginning [T11, MSG-9]", async () => {
  const mask = (text: string) => text.replaceAll("hunter22", "***");
  const run = await openMessageRun(createMemoryStore(), {
    mask: { event: (data) => data, text: mask },
  });
  run.send("a", { text: `password hunter22 ${"more ".repeat(5000)} hunter22` });
  const [message] = run.runtime.state.messages.recent;
  const kept = run.runtime.textOf(message?.body?.ref ?? "") ?? "";
  expect(message?.text).toMatch(/^password \*\*\* more/);
  expect([kept.length > 20_000, kept.includes("hunter22")]).toEqual([true, false]);
  await run.letGo();
});
