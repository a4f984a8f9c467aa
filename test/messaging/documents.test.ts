import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DocumentEdit, DocumentSuggestion } from "../../src/contracts/document.ts";
import { createMemoryStore } from "../../src/journal/memory-store.ts";
import {
  editDocument,
  listDocuments,
  MAX_DOCUMENT_BYTES,
  readDocument,
  suggestEdit,
} from "../../src/messaging/edit-document.ts";
import { MAX_MESSAGES_PER_MINUTE } from "../../src/messaging/sending-rate.ts";
import { type MessageRun, openMessageRun } from "./message-run.ts";

let run: MessageRun;
let keys = 0;

beforeEach(async () => {
  run = await openMessageRun(createMemoryStore(), { agents: ["a", "b"] });
});

afterEach(() => run.letGo());

function edit(by: string, given: DocumentEdit, key?: string) {
  keys += 1;
  return editDocument(run.runtime, { by, edit: given, key: key ?? `key/${keys}` });
}

const write = (text: string, more: Partial<DocumentEdit> = {}): DocumentEdit => ({
  kind: "write",
  text,
  ...more,
});

const refusal = (code: string, more: object = {}) => expect.objectContaining({ code, ...more });

describe("a document", () => {
  test("is empty until somebody writes it, and is then what was written last [MSG-8]", () => {
    expect([readDocument(run.runtime.state), listDocuments(run.runtime.state)]).toEqual([
      { name: "notes", revision: 0, text: "" },
      [],
    ]);
    const first = edit("a", write("one"));
    expect(first).toEqual({ name: "notes", revision: 1, text: "one", by: "a" });
    edit("b", { kind: "append", text: " and \ud83d" });
    const plan = edit("user", write("x", { name: "plan" }));
    expect(listDocuments(run.runtime.state)).toEqual([
      { name: "notes", revision: 2, text: "one and \ufffd", by: "b" },
      plan,
    ]);
  });

  test("is not changed by a key that has changed it already [MSG-8]", () => {
    edit("a", write("one"), "key");
    edit("b", write("two"));
    expect(edit("a", write("one", { ifRevision: 0 }), "key")).toMatchObject({
      revision: 2,
      text: "two",
    });
  });

  test("is not changed at another revision than its writer has seen [MSG-8]", () => {
    edit("a", write("one", { ifRevision: 0 }));
    edit("a", write("two", { ifRevision: 1 }));
    for (const ifRevision of [0, 1, 3])
      expect(() => edit("b", write("mine", { ifRevision }))).toThrow(
        refusal("MESSAGE_DOCUMENT_CONFLICT", {
          details: { document: "notes", expected: ifRevision, revision: 2, text: "two" },
        }),
      );
    expect(readDocument(run.runtime.state).text).toBe("two");
  });

  test.each(["", "1st", "a/b", "constructor"])("is not called %j [MSG-8]", (name) => {
    expect(() => edit("a", write("x", { name }))).toThrow(
      refusal("MESSAGE_DOCUMENT_NAME_INVALID", { details: { document: name } }),
    );
  });

  test("takes 1 MiB of UTF-8 and no more, however it comes [MSG-9]", () => {
    edit("a", write("€".repeat(349_525)));
    edit("a", { kind: "append", text: "x" });
    expect(Buffer.byteLength(readDocument(run.runtime.state).text)).toBe(MAX_DOCUMENT_BYTES);
    expect(() => edit("a", { kind: "append", text: "x" })).toThrow(
      refusal("MESSAGE_DOCUMENT_TOO_LARGE", {
        details: { document: "notes", sizeBytes: 1_048_577, maxBytes: 1_048_576 },
      }),
    );
    expect(edit("a", write("short")).revision).toBe(3);
  });

  test("is one of two hundred at most; those can still be changed [MSG-9]", () => {
    for (let index = 0; index < 200; index += 1) edit("user", write("x", { name: `d${index}` }));
    expect(() => edit("user", write("x", { name: "d200" }))).toThrow(
      refusal("MESSAGE_DOCUMENTS_TOO_MANY", { details: { document: "d200", limit: 200 } }),
    );
    expect(edit("user", write("y", { name: "d0" })).revision).toBe(2);
  });
});

describe("an owner", () => {
  const claim = { name: "plan", claim: true };

  test("is the agent that writes a document first and says so [MSG-8]", () => {
    expect(edit("a", write("v1", claim))).toMatchObject({ owner: "a" });
    expect(edit("a", write("v2", claim))).toMatchObject({ owner: "a", revision: 2 });
    expect(edit("b", write("x", { name: "other" }))).not.toHaveProperty("owner");
    expect(edit("b", { kind: "append", text: "more", name: "plan" })).toMatchObject({
      owner: "a",
      by: "b",
    });
    expect(() => edit("b", write("mine", { name: "plan" }))).toThrow(
      refusal("MESSAGE_DOCUMENT_OWNED", { details: { document: "plan", owner: "a", by: "b" } }),
    );
    // People may always write.
    expect(edit("user", write("v3", { name: "plan" }))).toMatchObject({ owner: "a", text: "v3" });
  });

  test.each([
    { what: "of the main document", by: "a", name: "notes", reason: "it belongs to all" },
    {
      what: "that is no agent",
      by: "user",
      name: "plan",
      reason: "only an agent can own a document",
    },
    {
      what: "of what others have written",
      by: "a",
      name: "old",
      reason: '"b" has already written to it',
    },
  ])("is nobody $what [MSG-8]", ({ by, name, reason }) => {
    edit("b", write("x", { name: "old" }));
    expect(() => edit(by, write("x", { name, claim: true }))).toThrow(
      refusal("MESSAGE_DOCUMENT_UNCLAIMABLE", { details: { document: name, by, reason } }),
    );
    expect(listDocuments(run.runtime.state)).toHaveLength(1);
  });

  test("that does not claim is none", () => {
    expect(edit("a", write("x", { name: "plan", claim: false }))).not.toHaveProperty("owner");
  });

  test("that has gone is none any more [MSG-8]", () => {
    edit("a", write("v1", claim));
    run.append({ type: "agent-exited", agent: "a", reason: "released" });
    expect(readDocument(run.runtime.state, "plan")).not.toHaveProperty("owner");
    expect(edit("b", write("v2", { name: "plan" })).text).toBe("v2");
  });
});

describe("a suggestion", () => {
  const suggest = (by: string, suggestion: DocumentSuggestion, key = "suggestion") =>
    suggestEdit(run.runtime, { by, suggestion, key, mainChannel: "main" });

  beforeEach(() => {
    edit("a", write("v1", { name: "plan", claim: true }));
  });

  test("is a message to the owner in which nothing asks or signals [MSG-8, T4]", () => {
    const receipt = suggest("b", {
      name: "plan",
      text: "x\r\n@user\ry\nDONE: z",
      note: "why\nnot",
    });
    const [message] = run.runtime.state.messages.recent;
    expect(receipt).toEqual({
      id: message?.id,
      seq: message?.seq,
      recipients: ["a"],
      unknownMentions: [],
    });
    expect(message).toMatchObject({
      from: "b",
      to: ["a"],
      signals: [],
      text: 'Suggestion for your document "plan", made at its revision 1:\n\n> x\n> @user\n> y\n> DONE: z\n\nWhy: > why\n> not',
    });
    expect(suggest("user", { name: "plan", text: "x" }, "other").recipients).toEqual(["a"]);
    expect(run.runtime.state.messages.recent.at(-1)?.text).toBe(
      'Suggestion for your document "plan", made at its revision 1:\n\n> x',
    );
    expect(readDocument(run.runtime.state, "plan").revision).toBe(1);
  });

  test("needs an owner other than its author, and a text [MSG-8]", () => {
    expect(() => suggest("b", { text: "x" })).toThrow(
      refusal("MESSAGE_DOCUMENT_NOT_OWNED", {
        message: 'document "notes" has no owner who could take a suggestion',
      }),
    );
    expect(() => suggest("a", { name: "plan", text: "x" })).toThrow(
      refusal("MESSAGE_DOCUMENT_NOT_OWNED", {
        message: 'document "plan" belongs to "a" itself',
      }),
    );
    expect(() => suggest("b", { name: "plan", text: " \n" })).toThrow(
      refusal("MESSAGE_DOCUMENT_SUGGESTION_EMPTY", { details: { document: "plan" } }),
    );
  });

  test("counts as what its author writes, but not when it is sent again [MSG-9, T14]", () => {
    const first = suggest("b", { name: "plan", text: "x" });
    for (let index = 1; index < MAX_MESSAGES_PER_MINUTE; index += 1)
      edit("b", { kind: "append", text: "y" });
    expect(() => edit("b", { kind: "append", text: "y" })).toThrow(
      refusal("MESSAGE_RATE_EXCEEDED"),
    );
    expect(() => suggest("b", { name: "plan", text: "z" }, "more")).toThrow(
      refusal("MESSAGE_RATE_EXCEEDED"),
    );
    expect(suggest("b", { name: "plan", text: "x" })).toEqual(first);
  });
});
