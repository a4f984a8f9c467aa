import { expect, test } from "vitest";
import { z } from "zod";
import type { DocumentEdit } from "../../src/contracts/document.ts";
import type { Message, MessageDraft } from "../../src/contracts/message.ts";
import type { ToolContext } from "../../src/contracts/tool.ts";
import type { Json } from "../../src/foundation/json.ts";
import { builtInTools, callTool, findTool } from "../../src/tools/registry.ts";

const message: Message = {
  id: "01J",
  seq: 7,
  timestamp: "2026-01-01T00:00:00.000Z",
  from: "lead",
  channel: "main",
  text: "hello @coder",
  mentions: ["coder"],
  threadId: "t1",
  signals: [],
};

interface Recorded {
  readonly drafts: MessageDraft[];
  readonly queries: Parameters<ToolContext["readChannel"]>[0][];
  readonly edits: DocumentEdit[];
}

function createContext(unknownMentions: readonly string[] = []): ToolContext & Recorded {
  const recorded: Recorded = { drafts: [], queries: [], edits: [] };
  return {
    ...recorded,
    run: "run_1",
    agent: "coder",
    post: async (draft) => {
      recorded.drafts.push(draft);
      return { id: "01K", seq: 9, recipients: ["lead"], unknownMentions };
    },
    readChannel: (query) => {
      recorded.queries.push(query);
      return { messages: [message], next: 7, hasMore: false };
    },
    readDocument: (name = "notes") => ({ name, revision: 2, text: "text", by: "lead" }),
    editDocument: async (edit) => {
      recorded.edits.push(edit);
      return { name: edit.name ?? "notes", revision: 3, text: edit.text };
    },
    agents: () => [{ id: "lead", name: "Lead", status: "idle" }],
  };
}

test("the tools are named as channel workflows expect, and their schemas have a JSON form [MCP-7]", () => {
  expect(builtInTools.map((tool) => [tool.name, tool.isReadOnly])).toEqual([
    ["channel_send", false],
    ["channel_read", true],
    ["channel_peek", true],
    ["document_read", true],
    ["document_write", false],
    ["document_append", false],
    ["agents_list", true],
  ]);
  for (const tool of builtInTools)
    expect(z.toJSONSchema(tool.input)).toMatchObject({
      type: "object",
      additionalProperties: false,
    });
});

test("channel_send posts as the caller and answers with recipients [MCP-7, MSG-1]", async () => {
  const context = createContext();
  expect(await callTool("channel_send", { message: "hi" }, context)).toEqual({
    id: "01K",
    seq: 9,
    recipients: ["lead"],
  });
  await callTool("channel_send", { message: "b", to: "lead", thread_id: "t" }, context);
  await callTool("channel_send", { message: "c", channel: "side" }, context);
  await callTool("channel_send", { message: "d", to: ["lead", "x"] }, context);
  expect(context.drafts).toEqual([
    { text: "hi" },
    { text: "b", to: ["lead"], threadId: "t" },
    { text: "c", channel: "side" },
    { text: "d", to: ["lead", "x"] },
  ]);
});

test("channel_send cannot set its sender [MSG-1, T3]", async () => {
  const context = createContext();
  await expect(
    callTool("channel_send", { message: "hi", from: "user" }, context),
  ).rejects.toMatchObject({ code: "AGENT_TOOL_INPUT_INVALID", details: { field: "from" } });
  expect(context.drafts).toEqual([]);
});

test("an unknown mention is answered with a warning that lists the known names [MSG-2]", async () => {
  const answer = await callTool("channel_send", { message: "@ghost" }, createContext(["ghost"]));
  expect(answer).toMatchObject({ warning: "nobody is called @ghost; known: lead" });
});

test("channel_read and channel_peek answer with entries and the way on [MCP-7]", async () => {
  const context = createContext();
  const page = {
    messages: [
      {
        timestamp: "2026-01-01T00:00:00.000Z",
        from: "lead",
        message: "hello @coder",
        mentions: ["coder"],
        id: "01J",
        seq: 7,
        thread_id: "t1",
      },
    ],
    next: 7,
    hasMore: false,
  };
  expect(await callTool("channel_read", { since: "6", limit: 5 }, context)).toEqual(page);
  expect(await callTool("channel_read", { since: "01J", channel: "side" }, context)).toEqual(page);
  expect(await callTool("channel_peek", { limit: 2 }, context)).toEqual(page);
  expect(await callTool("channel_peek", {}, context)).toEqual(page);
  expect(context.queries).toEqual([
    { since: 6, limit: 5 },
    { since: "01J", channel: "side" },
    { limit: 2 },
    {},
  ]);
});

test("documents are read with their revision, written and appended [MCP-7]", async () => {
  const context = createContext();
  expect(await callTool("document_read", {}, context)).toEqual({
    name: "notes",
    revision: 2,
    content: "text",
    by: "lead",
  });
  const written = { content: "new", name: "plan", if_revision: 0 };
  expect(await callTool("document_write", written, context)).toEqual({ name: "plan", revision: 3 });
  await callTool("document_write", { content: "" }, context);
  await callTool("document_append", { content: "more" }, context);
  expect(context.edits).toEqual([
    { kind: "write", text: "new", name: "plan", ifRevision: 0 },
    { kind: "write", text: "" },
    { kind: "append", text: "more" },
  ]);
});

test("agents_list names the agents and the caller", async () => {
  expect(await callTool("agents_list", {}, createContext())).toEqual({
    you: "coder",
    agents: [{ id: "lead", name: "Lead", status: "idle" }],
  });
});

test("an unknown tool is refused with the nearest name", async () => {
  expect(() => findTool("chanel_send")).toThrow(
    expect.objectContaining({
      code: "AGENT_UNKNOWN_TOOL",
      hint: expect.stringContaining('did you mean "channel_send"?'),
    }),
  );
  await expect(callTool("toString", {}, createContext())).rejects.toMatchObject({
    code: "AGENT_UNKNOWN_TOOL",
  });
});

test.each<[string, Json, string]>([
  ["channel_send", {}, 'channel_send: "message": expected string, received undefined'],
  [
    "channel_send",
    { mesage: "x" },
    'channel_send: "mesage": unknown field; did you mean "message"?  fields: message, to, channel, thread_id',
  ],
  ["channel_send", "x", "channel_send: expected object, received string"],
  [
    "channel_send",
    { message: "x", to: "a", channel: "b" },
    'channel_send: "to": give either to or channel',
  ],
  [
    "channel_send",
    { message: "x", to: 1 },
    'channel_send: "to": expected the id of an agent or a list of ids',
  ],
  ["channel_read", { limit: "5" }, 'channel_read: "limit": expected number, received string'],
  ["channel_read", { since: {} }, 'channel_read: "since": expected an id, a seq or an ISO time'],
  ["agents_list", { x: 1 }, 'agents_list: "x": unknown field; it takes no fields'],
])("%s refuses %j and names the field", async (name, input, problem) => {
  await expect(callTool(name, input, createContext())).rejects.toMatchObject({
    code: "AGENT_TOOL_INPUT_INVALID",
    message: problem,
  });
});
