import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { MessageDraft } from "../../src/contracts/message.ts";
import { createMemoryStore } from "../../src/journal/memory-store.ts";
import { isPosted, postMessage } from "../../src/messaging/post-message.ts";
import { type MessageRun, openMessageRun } from "./message-run.ts";

let run: MessageRun;

beforeEach(async () => {
  run = await openMessageRun(createMemoryStore(), { agents: ["a", "B"] });
});

afterEach(() => run.letGo());

/** Posts as somebody, who needs not be an agent. */
function post(from: string, draft: MessageDraft, givenKey?: string) {
  const key = givenKey ?? `key/${run.runtime.state.messages.count}`;
  return postMessage(run.runtime, { from, draft, key, mainChannel: "main" });
}

const newest = () => run.runtime.state.messages.recent.at(-1);

describe("a message", () => {
  test("goes to those that it names, by the names that they have, or to a channel [MSG-3]", () => {
    expect(post("a", { text: "x", to: ["@b", "USER", "@All"] }).recipients).toEqual([
      "B",
      "user",
      "all",
    ]);
    expect([newest()?.to, newest()?.channel]).toEqual([["B", "user", "all"], undefined]);
    expect(post("a", { text: "@b and @a", channel: "#side" }).recipients).toEqual(["B"]);
    expect([newest()?.to, newest()?.channel]).toEqual([undefined, "side"]);
    expect(post("a", { text: "x" }).recipients).toEqual([]);
    expect(newest()?.channel).toBe("main");
  });

  test("has the members that it was given, and no others", () => {
    post("a", { text: "@nobody DONE\nDONE: x", threadId: "t1", interrupt: true });
    expect(newest()).toMatchObject({ threadId: "t1", interrupt: true, signals: ["done"] });
    const receipt = post("a", { text: "hi @nobody" });
    expect(receipt.unknownMentions).toEqual(["nobody"]);
    expect(Object.keys(receipt)).not.toContain("refusedMentions");
    for (const name of ["threadId", "interrupt", "terms", "to"])
      expect(Object.keys(newest() ?? {})).not.toContain(name);
  });

  test.each(["", " \n\t"])("of no text (%j) is refused", (text) => {
    expect(() => post("a", { text })).toThrow(expect.objectContaining({ code: "MESSAGE_EMPTY" }));
  });

  test("to somebody that there is not reaches nobody, and the names that there are are told", () => {
    expect(() => post("a", { text: "x", to: ["B", "@c"] })).toThrow(
      expect.objectContaining({
        code: "MESSAGE_UNKNOWN_RECIPIENT",
        message: 'no agent of this run is called "@c"',
        details: { recipient: "@c", known: ["a", "B"] },
      }),
    );
    expect(newest()).toBeUndefined();
  });

  test("for a channel needs a name that can be one", () => {
    for (const channel of ["#a b", "1st", "", "#", "x".repeat(65)])
      expect(() => post("a", { text: "x", channel })).toThrow(
        expect.objectContaining({
          code: "MESSAGE_UNKNOWN_CHANNEL",
          details: { channel, known: ["main"] },
        }),
      );
  });

  test("is kept with half characters made whole", () => {
    post("a", { text: "half \ud83d" });
    expect(newest()?.text).toBe("half \ufffd");
  });
});

describe("a question", () => {
  test("is put to the person whom a message names or goes to, if an agent wrote it", () => {
    const named = post("a", { text: "@user which one?" });
    const direct = post("B", { text: "and this?", to: ["human"] });
    const { inbox } = run.runtime.state;
    expect(
      [...inbox.values()].map((item) => [item.kind, item.text, "agent" in item && item.agent]),
    ).toEqual([
      ["question", "@user which one?", "a"],
      ["question", "and this?", "B"],
    ]);
    expect([...inbox.keys()]).toEqual([named.question, direct.question]);
    expect("question" in post("system", { text: "@user look", to: ["a"] })).toBe(false);
    expect("question" in post("a", { text: "hi", to: ["B"] })).toBe(false);
    expect(inbox.size).toBe(2);
  });

  test("is the same one when its message is posted again, also after its answer", () => {
    const first = post("a", { text: "@user which one?" }, "key");
    expect(post("a", { text: "@user which one?" }, "key")).toEqual(first);
    const id = first.question ?? "";
    run.append({ type: "question-answered", id, answer: "this one", by: "user" });
    expect(run.runtime.state.inbox.size).toBe(0);
    expect(post("a", { text: "@user which one?" }, "key")).toEqual(first);
    const plain = post("a", { text: "no question" }, "other");
    expect(post("a", { text: "no question" }, "other")).toEqual(plain);
  });

  test("that is long says where the rest of it is", () => {
    post("a", { text: `@user read ${"this ".repeat(4000)}` });
    const [item] = run.runtime.state.inbox.values();
    expect(item?.text).toMatch(
      /^@user read this .*\n… \(the beginning of 20011 bytes: troupe logs run_messages --json\)$/,
    );
  });
});

describe("a key of one's own", () => {
  const isAgain = (draft: MessageDraft, from = "user") =>
    isPosted(run.runtime, { from, draft, key: "own" });

  const reused = expect.objectContaining({ code: "MESSAGE_KEY_REUSED" });

  test("is free until a message has been posted under it", () => {
    expect(isAgain({ text: "x" })).toBe(false);
    post("user", { text: "x" }, "own");
    expect(isAgain({ text: "x" })).toBe(true);
  });

  test("is that of the same text, sender and channel alone", () => {
    const { id } = post("user", { text: "x", channel: "side" }, "own");
    for (const draft of [
      { text: "x" },
      { text: "x", channel: "#side" },
      { text: "x", channel: "side" },
    ])
      expect(isAgain(draft)).toBe(true);
    for (const draft of [{ text: "y" }, { text: "x", channel: "main" }, { text: "x", to: ["a"] }])
      expect(() => isAgain(draft)).toThrow(reused);
    expect(() => isAgain({ text: "x" }, "a")).toThrow(
      expect.objectContaining({ code: "MESSAGE_KEY_REUSED", details: { key: "own", id } }),
    );
  });

  test("is that of the same addressees, in any order and form", () => {
    post("user", { text: "x", to: ["a", "B"] }, "own");
    for (const to of [
      ["a", "B"],
      ["b", "A"],
      ["@B", "@a"],
    ])
      expect(isAgain({ text: "x", to })).toBe(true);
    for (const draft of [
      { text: "x" },
      { text: "x", to: ["a"] },
      { text: "x", to: ["a", "B", "B"] },
    ])
      expect(() => isAgain(draft)).toThrow(reused);
  });

  test("compares long texts to their end", () => {
    const text = "long ".repeat(5000);
    post("user", { text: `${text}a` }, "own");
    expect(isAgain({ text: `${text}a` })).toBe(true);
    expect(() => isAgain({ text: `${text}b` })).toThrow(reused);
  });

  test("takes a text of which something was masked for the same", () => {
    post("user", { text: "the password is ***" }, "own");
    expect(isAgain({ text: "the password is hunter22" })).toBe(true);
  });
});
