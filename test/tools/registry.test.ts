import { expect, test } from "vitest";
import { z } from "zod";
import type { DocumentEdit } from "../../src/contracts/document.ts";
import type { Message, OptimisticDraft } from "../../src/contracts/message.ts";
import type { ToolContext } from "../../src/contracts/tool.ts";
import type { Json } from "../../src/foundation/json.ts";
import { builtInTools, callTool, findTool, loadTools } from "../../src/tools/registry.ts";

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
  readonly drafts: OptimisticDraft[];
  readonly queries: Parameters<ToolContext["readChannel"]>[0][];
  readonly taken: (readonly Message[])[];
  readonly edits: DocumentEdit[];
}

function createContext(unknownMentions: readonly string[] = []): ToolContext & Recorded {
  const recorded: Recorded = { drafts: [], queries: [], taken: [], edits: [] };
  return {
    ...recorded,
    run: "run_1",
    agent: "coder",
    offer: { channel: true, document: true },
    post: async (draft) => {
      recorded.drafts.push(draft);
      return { status: "posted", id: "01K", seq: 9, recipients: ["lead"], unknownMentions };
    },
    readChannel: (query) => {
      recorded.queries.push(query);
      return { messages: [message], next: 7, hasMore: false };
    },
    readMentions: () => ({ messages: [message], hasMore: false }),
    take: (messages) => void recorded.taken.push(messages),
    ackInbox: () => ({ acked: [], settled: [], elsewhere: [], unknown: [] }),
    readDocument: (name = "notes") => ({ name, revision: 2, text: "text", by: "lead" }),
    listDocuments: () => [],
    editDocument: async (edit) => {
      recorded.edits.push(edit);
      return { name: edit.name ?? "notes", revision: 3, text: edit.text };
    },
    suggestEdit: async () => ({ id: "01L", seq: 10, recipients: ["lead"], unknownMentions: [] }),
    agents: () => [{ id: "lead", name: "Lead", status: "idle" }],
    setStatus: () => {},
    handoffsLeft: () => undefined,
    readTrail: async () => ({ value: 0, marks: [] }),
    record: () => {},
    signal: async () => undefined,
    readResource: ({ ref }) => ({ ref, text: "", offset: 0, totalChars: 0 }),
    requestApproval: async () => ({ status: "waiting", approval: "apr_1" }),
    askProgram: async (tool, given) => ({ tool, given }),
    collab: {
      spawn: async ({ name = "worker-1" }) => ({ id: name, name, status: "pending_init" }),
      send: async ({ id }) => ({ id, name: id, status: "running" }),
      wait: async () => ({ statuses: {}, timedOut: true, effectiveTimeoutMs: 1000 }),
      close: async (id) => ({ id, previous: { status: "running" }, closed: [id], ending: [] }),
      resume: async ({ id }) => ({ id, name: id, status: "pending_init" }),
      task: async ({ type }) => ({ id: `${type}-1`, status: "completed", text: "x", usage: {} }),
      list: async () => [],
    },
    call: undefined,
  };
}

/** What clients are told, beside that no tool destroys anything or reaches into the world. */
const KINDS: { readonly [tool: string]: "reads" | "adds" | "sets" } = {
  task_list: "reads",
  task_create: "adds",
  task_update: "sets",
  task_claim: "adds",
  team_exit: "sets",
  channel_send: "adds",
  channel_read: "reads",
  channel_peek: "reads",
  channel_mentions: "reads",
  document_read: "reads",
  document_write: "sets",
  document_append: "adds",
  document_suggest: "adds",
  document_list: "reads",
  inbox_ack: "sets",
  record: "adds",
  agents_list: "reads",
  status_set: "sets",
  Task: "adds",
  signal: "sets",
  vote: "sets",
  bid: "sets",
  handoff: "sets",
  deposit: "adds",
  trail_read: "reads",
  reflect: "sets",
  resource_read: "reads",
  approval_request: "sets",
  spawn_agent: "adds",
  send_input: "adds",
  wait: "reads",
  close_agent: "sets",
  resume_agent: "sets",
  list_agents: "reads",
};

test("every tool has the name that workflows expect, a title, a description and annotations [MCP-1.tools, MCP-7]", async () => {
  const tools = await loadTools();
  const annotations = tools.map((tool) => [tool.name, tool.annotations]);
  expect(Object.fromEntries(annotations)).toEqual(
    Object.fromEntries(
      Object.entries(KINDS).map(([name, kind]) => [
        name,
        {
          readOnlyHint: kind === "reads",
          destructiveHint: false,
          idempotentHint: kind !== "adds",
          openWorldHint: false,
        },
      ]),
    ),
  );
  for (const { title, description } of tools) {
    expect(title).toMatch(/^[A-Z][a-z ]+$/);
    expect(description.length).toBeGreaterThan(60);
  }
});

test("what the list says of a tool before it is loaded is what the tool says", async () => {
  const told = builtInTools.map(({ name, needs, gives }) => ({ name, needs, gives }));
  const tools = await loadTools();
  expect(tools.map(({ name, needs, gives }) => ({ name, needs, gives }))).toEqual(told);
  const some = await loadTools(["signal", "channel_send", "Bash"]);
  expect(some.map(({ name }) => name)).toEqual(["channel_send", "signal"]);
});

test("every tool's input has a JSON form that describes each field and takes no others [MCP-1.tools]", async () => {
  for (const tool of await loadTools()) {
    const { properties = {}, ...schema } = z.toJSONSchema(tool.input, { io: "input" });
    expect(schema).toMatchObject({ type: "object", additionalProperties: false });
    for (const [field, value] of Object.entries(properties))
      expect(value, `${tool.name} ${field}`).toHaveProperty("description");
  }
});

test("the tools keep the arguments that channel workflows are written for [MCP-7]", async () => {
  const context = createContext();
  const calls: readonly [string, Json][] = [
    ["channel_send", { message: "hi" }],
    ["channel_read", { since: "2026-01-01T00:00:00.000Z", limit: 5 }],
    ["channel_peek", { limit: 5 }],
    ["channel_mentions", { unread_only: true }],
    ["document_read", {}],
    ["document_write", { content: "text" }],
    ["document_append", { content: "text" }],
  ];
  for (const [name, input] of calls)
    await expect(callTool(name, input, context)).resolves.toEqual(expect.anything());
});

test("channel_read and channel_mentions take what they return, channel_peek does not [MCP-7, MSG-3]", async () => {
  const context = createContext();
  await callTool("channel_peek", {}, context);
  expect(context.taken).toEqual([]);
  await callTool("channel_read", {}, context);
  await callTool("channel_mentions", {}, context);
  expect(context.taken).toEqual([[message], [message]]);
});

test("channel_send posts as the caller and answers with recipients [MCP-7, MSG-1]", async () => {
  const context = createContext();
  expect(await callTool("channel_send", { message: "hi" }, context)).toEqual({
    sent: true,
    id: "01K",
    seq: 9,
    recipients: ["lead"],
  });
  await callTool("channel_send", { message: "b", to: "lead", thread_id: "t" }, context);
  await callTool("channel_send", { message: "c", channel: "side" }, context);
  await callTool("channel_send", { message: "d", to: ["lead", "x"], interrupt: true }, context);
  await callTool("channel_send", { message: "e", last_seen: 3, force: true }, context);
  expect(context.drafts).toEqual([
    { text: "hi" },
    { text: "b", to: ["lead"], threadId: "t" },
    { text: "c", channel: "side" },
    { text: "d", to: ["lead", "x"], interrupt: true },
    { text: "e", lastSeen: 3, force: true },
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
  expect(await callTool("document_write", written, context)).toEqual({
    written: true,
    name: "plan",
    revision: 3,
  });
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
    'channel_send: "mesage": unknown field; did you mean "message"?  fields: message, to, channel, thread_id, interrupt, last_seen, force',
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
  ["inbox_ack", {}, 'inbox_ack: "ids": give either ids or up_to'],
  ["document_suggest", { content: "" }, expect.stringMatching(/^document_suggest: "content": /)],
  ["approval_request", { message: " " }, expect.stringMatching(/^approval_request: "message": /)],
  [
    "approval_request",
    { message: "x", wait_seconds: 3601 },
    expect.stringMatching(/^approval_request: "wait_seconds": /),
  ],
  [
    "approval_request",
    { message: "x", show: "y".repeat(262_144) },
    'approval_request: "show": at most 262144 characters as JSON',
  ],
  ["agents_list", { x: 1 }, 'agents_list: "x": unknown field; it takes no fields'],
])("%s refuses %j and names the field", async (name, input, problem) => {
  await expect(callTool(name, input, createContext())).rejects.toMatchObject({
    code: "AGENT_TOOL_INPUT_INVALID",
    message: problem,
  });
});
