import { describe, expect, test } from "vitest";
import { foldAll } from "../../src/fold/fold.ts";
import type { InboxItem } from "../../src/fold/state/inbox-state.ts";
import { toDecision, toReply } from "../../src/messaging/ask-person.ts";
import { created, journal, posted, spawned } from "../fold/journal-builder.ts";

const threaded = { ...posted("m2", ["user"], "a"), threadId: "t1" };
const state = foldAll(
  "run_a",
  journal([created, spawned("a"), posted("m1", ["user"], "a"), threaded]),
);
const common = { id: "apr_1", createdAt: 0, seq: 1 };

function approval(changed: {
  readonly text?: string;
  readonly agent?: string | undefined;
}): InboxItem {
  const item = {
    kind: "approval",
    agent: "a",
    text: "push it?",
    op: undefined,
    turn: undefined,
  } as const;
  const rest = { step: undefined, show: undefined, hash: "h", expiresAt: undefined };
  return { ...common, ...item, ...rest, ...changed };
}

function question(message: string | undefined): InboxItem {
  const item = {
    kind: "question",
    agent: "a",
    text: "which?",
    op: undefined,
    turn: undefined,
  } as const;
  const rest = { step: undefined, options: undefined, many: false };
  return { ...common, ...item, ...rest, message };
}

describe("a decision", () => {
  test("is told to the agent that asked, with all that the person said", () => {
    const key = "run_a/apr_1/answer";
    expect(toDecision(state, approval({}), { decision: "approved" })).toEqual({
      draft: { to: ["a"], text: 'apr_1 approved: "push it?"' },
      key,
    });
    const said = {
      decision: "rejected",
      comment: "not\ntoday",
      edited: { branch: "dev" },
    } as const;
    expect(toDecision(state, approval({}), said)).toEqual({
      draft: {
        to: ["a"],
        text: 'apr_1 rejected: "push it?"\nnot\ntoday\nin this form: {"branch":"dev"}',
      },
      key,
    });
  });

  test("repeats of a long question the beginning", () => {
    const told = (text: string) =>
      toDecision(state, approval({ text }), { decision: "approved" })?.draft.text;
    expect(told("x".repeat(200))).toBe(`apr_1 approved: "${"x".repeat(200)}"`);
    expect(told("x".repeat(201))).toBe(`apr_1 approved: "${"x".repeat(200)}…"`);
    expect(told(`${"x".repeat(199)}🎭`)).toBe(`apr_1 approved: "${"x".repeat(199)}\ufffd…"`);
  });

  test("is told to nobody where no agent asked", () => {
    const decided = { decision: "approved" } as const;
    for (const item of [undefined, question("m1"), approval({ agent: undefined })])
      expect(toDecision(state, item, decided)).toBeUndefined();
  });
});

describe("an answer", () => {
  test("goes to the agent in the thread of its message, or begins one of it", () => {
    const source = { state };
    expect(toReply(source, question("m1"), "this one")).toEqual({
      draft: { to: ["a"], text: "this one", threadId: "m1" },
      key: "run_a/apr_1/answer",
    });
    expect(toReply(source, question("m2"), "that")?.draft.threadId).toBe("t1");
    expect(toReply(source, question("lost"), "that")?.draft.threadId).toBe("lost");
  });

  test("is no message where no message asked", () => {
    for (const item of [undefined, approval({}), question(undefined)])
      expect(toReply({ state }, item, "x")).toBeUndefined();
  });
});
