import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentSpec } from "../../src/contracts/agent.ts";
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

function spawn(spec: Omit<AgentSpec, "backend">): void {
  const whole = { backend: "script", ...spec };
  run.append({ type: "agent-spawned", agent: spec.id, backend: "script", spec: whole });
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
    expect(() => post("a", { text })).toThrow(
      expect.objectContaining({ code: "MESSAGE_EMPTY", details: { from: "a" } }),
    );
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
    expect(() => post("a", { text: "x", to: ["B@"] })).toThrow(/no agent of this run/);
  });

  test("for a channel needs a name that can be one", () => {
    for (const channel of ["#a b", "si#de", "1st", "", "#", "x".repeat(65)])
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

describe("an agent that may not write to all", () => {
  beforeEach(() => {
    spawn({ id: "bound", writesTo: ["a", "#"] });
  });

  test("reaches by names only those that it may write to, and is told of the others [PAT-edges.refused, PAT-speak.mentions]", () => {
    expect(post("bound", { text: "@B, @a and @user: look" })).toMatchObject({
      recipients: ["a"],
      refusedMentions: ["B", "user"],
      unknownMentions: [],
    });
    expect(newest()?.mentions).toEqual(["a"]);
    expect(run.runtime.state.inbox.size).toBe(0);
    expect(post("bound", { text: "@a look" })).not.toHaveProperty("refusedMentions");
    expect(post("bound", { text: "@B look" })).toMatchObject({
      recipients: [],
      refusedMentions: ["B"],
    });
  });

  test("writes to nobody else directly, unless its program decides to whom its report goes", () => {
    const posting = { from: "bound", draft: { text: "x", to: ["B"] }, mainChannel: "main" };
    const postTo = (isReport?: boolean) =>
      postMessage(run.runtime, {
        ...posting,
        key: `report/${isReport}`,
        ...(isReport === undefined ? {} : { isReport }),
      });
    for (const isReport of [undefined, false])
      expect(() => postTo(isReport)).toThrow(
        expect.objectContaining({ code: "MESSAGE_NOT_PERMITTED" }),
      );
    expect(postTo(true).recipients).toEqual(["B"]);
    expect(post("bound", { text: "x", to: ["a"] }).recipients).toEqual(["a"]);
  });
});

test("what an agent with channels of its own posts to nobody goes to the first of them", () => {
  spawn({ id: "c", channels: ["side", "main"] });
  post("c", { text: "x" });
  expect(newest()?.channel).toBe("side");
  post("c", { text: "x", channel: "#main" });
  expect(newest()?.channel).toBe("main");
});

test("who is behind by just as much as comes at once has nothing left to read [MSG-6]", () => {
  for (let index = 0; index < 50; index += 1) post("user", { text: `${index}` });
  const behind = run.send("a", { text: "x", lastSeen: 0 });
  expect(behind).toMatchObject({ status: "behind", hasMore: false });
  expect("messages" in behind && behind.messages.length).toBe(50);
});

describe("shadows", () => {
  const shadow = { of: "a", receiveIncoming: true, receiveOutgoing: true };

  /** What was done about the newest message, by agent. */
  function done(): readonly string[] {
    const { seq = 0 } = newest() ?? {};
    return [...run.runtime.eventsAfter(seq)].flatMap((event) => {
      if (event.type === "message-copied") return [`${event.agent} copy`];
      return event.type === "shadow-called" ? [`${event.agent} ${event.trigger}`] : [];
    });
  }

  beforeEach(() => {
    spawn({ id: "eye", shadow: { ...shadow, speakOn: ["REVIEW_REQUEST"] } });
    spawn({ id: "ear", shadow: { ...shadow, speakOn: [] } });
  });

  test("get copies with the message, and speak on what they wait for alone [MSG-10]", () => {
    post("a", { text: "plain" });
    expect(done()).toEqual(["eye copy", "ear copy"]);
    post("a", { text: "ready\nREVIEW_REQUEST: x" });
    expect(done()).toEqual(["eye copy", "eye REVIEW_REQUEST", "ear copy"]);
    post("B", { text: "to nobody" });
    expect(done()).toEqual([]);
    post("B", { text: "x", to: ["a"] });
    expect(done()).toEqual(["eye copy", "ear copy"]);
  });

  test("do not answer each other, and get nothing when they have gone [MSG-10]", () => {
    spawn({ id: "all", shadow: { ...shadow, speakOn: ["ALL_MESSAGES", "EXPLICIT_ASK"] } });
    post("B", { text: "x", to: ["a"] });
    expect(done()).toContain("all ALL_MESSAGES");
    post("eye", { text: "x", to: ["a"] });
    expect(done()).toEqual(["ear copy", "all copy"]);
    post("B", { text: "x", to: ["all"] });
    expect(done()).toEqual(["all EXPLICIT_ASK"]);
    for (const agent of ["all", "ear", "eye"])
      run.append({ type: "agent-exited", agent, reason: "released" });
    post("B", { text: "x", to: ["all", "a"] });
    expect(done()).toEqual([]);
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
    expect(post("a", { text: "both", to: ["B", "user"] }).question).toBeDefined();
    expect("question" in post("system", { text: "@user look", to: ["a"] })).toBe(false);
    expect("question" in post("a", { text: "hi", to: ["B"] })).toBe(false);
    expect(inbox.size).toBe(3);
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
    const most = "x".repeat(16_384);
    postMessage(run.runtime, {
      from: "user",
      draft: { text: most },
      key: "most",
      mainChannel: "main",
    });
    const known = { from: "user", key: "most" };
    expect(isPosted(run.runtime, { ...known, draft: { text: most } })).toBe(true);
    expect(() => isPosted(run.runtime, { ...known, draft: { text: `${most}x` } })).toThrow(reused);
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
