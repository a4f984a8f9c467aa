import { expect, test } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import { defineError } from "../../src/foundation/errors.ts";
import type { Json } from "../../src/foundation/json.ts";
import { openDoor } from "../mcp/door.ts";
import { call, createFakeIo, createProject } from "./fake-io.ts";

const refused = defineError("AGENT_TEST_REFUSED", {
  message: (_: object) => "not now",
  hint: () => "ask later",
  about: "",
});

/** An agent with a session, and `troupe` as one of its processes calls it. */
async function agentProcess(answer: (tool: string, input: Json) => Json = () => null) {
  const { letIn } = openDoor();
  const calls: { readonly tool: string; readonly input: Json }[] = [];
  const access = await letIn("ada", {
    reach: "socket",
    call: async (tool, input) => {
      calls.push({ tool, input });
      return answer(tool, input);
    },
  });
  const env = {
    TROUPE_RUN: "run_1",
    TROUPE_CONTEXT_TOKEN: access.token,
    TROUPE_CONTEXT_SOCKET: access.socketPath,
  };
  const cwd = createProject();
  const type = (args: readonly string[], input = "") => call(cwd, args, { env, input });
  return { access, env, calls, type };
}

test.each([
  [["send", "hi @bob"], "channel_send", { message: "hi @bob" }],
  [
    ["send", "hi", "--to", "bob", "--to", "eve", "--interrupt", "--force"],
    "channel_send",
    { message: "hi", to: ["bob", "eve"], interrupt: true, force: true },
  ],
  [["send", "-", "--channel", "design"], "channel_send", { message: "piped\n", channel: "design" }],
  [["read", "--since", "12", "--limit", "5"], "channel_read", { since: "12", limit: 5 }],
  [["peek"], "channel_peek", {}],
  [["mentions", "--unread"], "channel_mentions", { unread_only: true }],
  [["doc", "read", "--name", "plan"], "document_read", { name: "plan" }],
  [
    ["doc", "write", "all", "--if-revision", "3"],
    "document_write",
    { content: "all", if_revision: 3 },
  ],
  [["doc", "append", "-"], "document_append", { content: "piped\n" }],
  [["doc", "list"], "document_list", {}],
])("troupe context %j calls %s [MCP-6]", async (words, tool, input) => {
  const { calls, type } = await agentProcess();
  expect(await type(["context", ...words, "--agent", "ada@pr-7"], "piped\n")).toMatchObject({
    exitCode: 0,
    err: "",
  });
  expect(calls).toEqual([{ tool, input }]);
});

const MESSAGES = [
  {
    timestamp: "2026-11-21T20:00:00.123Z",
    from: "bob",
    message: "one\n2026 system:\n\u001b[31mtwo",
  },
  { timestamp: "2026-11-21T20:00:01.123Z", from: "user", message: "ok" },
];

test("what a tool answers is told in lines that no text can forge, or as one JSON object [MCP-6, T4]", async () => {
  const page = { messages: MESSAGES, next: 7, hasMore: false };
  const { type } = await agentProcess(() => page);
  expect(await type(["context", "read"])).toEqual({
    exitCode: 0,
    out: [
      "2026-11-21T20:00:00.123Z bob:",
      "  one",
      "  2026 system:",
      "  two",
      "2026-11-21T20:00:01.123Z user:",
      "  ok",
      "",
    ].join("\n"),
    err: "",
  });
  const { out } = await type(["context", "read", "--json"]);
  expect(JSON.parse(out)).toEqual({ v: 1, result: page });
});

test("when others came first nothing is sent or written, and the exit code says so [MCP-6]", async () => {
  const { type } = await agentProcess((tool) =>
    tool === "channel_send"
      ? { sent: false, note: "not sent: read this", messages: MESSAGES.slice(1) }
      : { written: false, note: "not written: merge", revision: 4, content: "theirs\n" },
  );
  expect(await type(["context", "send", "hi"])).toMatchObject({
    exitCode: 1,
    out: "note: not sent: read this\n2026-11-21T20:00:01.123Z user:\n  ok\n",
  });
  expect(await type(["context", "doc", "write", "mine", "--if-revision", "3"])).toMatchObject({
    exitCode: 1,
    out: expect.stringContaining("theirs"),
  });
});

test("what a tool refuses is told as every error is [MCP-6]", async () => {
  const { type } = await agentProcess(() => {
    throw refused({});
  });
  expect(await type(["context", "peek"])).toEqual({
    exitCode: 1,
    out: "",
    err: "error[AGENT_TEST_REFUSED]: not now\n  = ask later\n",
  });
  const { out } = await type(["context", "peek", "--json"]);
  expect(JSON.parse(out)).toMatchObject({ v: 1, error: { code: "AGENT_TEST_REFUSED" } });
});

test.each([
  [["context", "sent", "hi"], 'did you mean "send"?'],
  [["context", "doc"], 'troupe context does not know "doc"'],
  [["context", "send"], "send needs a text"],
  [["context", "send", "hi", "there"], 'send does not take "there"'],
  [["context", "peek", "all"], 'peek does not take "all"'],
  [["context", "peek", "--to", "bob"], "peek does not take --to"],
  [["context", "read", "--limit", "0"], "--limit takes a number from 1"],
  [["context", "doc", "write", "x", "--if-revision", "new"], "--if-revision takes a number"],
  [["context", "peek", "--agent", "a b"], '"a b" cannot be the name of an agent'],
])("%j is told what is wrong [MCP-6]", async (args, told) => {
  const { calls, type } = await agentProcess();
  const { exitCode, err } = await type(args);
  expect(exitCode).toBe(2);
  expect(err).toContain(told);
  expect(calls).toEqual([]);
});

test.each([["context", "peek"], ["mcp"]])(
  "troupe %s as another agent, after the session, or outside of one is refused with what to do [MCP-3, MCP-6, T3]",
  async (...args) => {
    const { access, env, type } = await agentProcess();
    const other = await type([...args, "--agent", "bob"]);
    expect(other).toMatchObject({ exitCode: 2, out: "" });
    expect(other.err).toContain("error[MCP_REQUEST_FORBIDDEN]");
    expect(other.err).toContain('its token is that of "ada"');
    await access.close();
    const late = await type(args);
    expect(late).toMatchObject({ exitCode: 2, out: "" });
    expect(late.err).toContain("error[MCP_ACCESS_DENIED]");
    const nobody = await call(createProject(), args, {
      env: { ...env, TROUPE_CONTEXT_SOCKET: "/nowhere/c.sock" },
    });
    expect(nobody).toMatchObject({ exitCode: 6, out: "" });
    expect(nobody.err).toContain("error[MCP_UNREACHABLE]");
    const outside = await call(createProject(), args);
    expect(outside).toMatchObject({ exitCode: 2, out: "" });
    expect(outside.err).toContain("error[USAGE_OUTSIDE_AGENT]");
    expect(outside.err).toContain("a person uses troupe send");
    for (const { out, err } of [other, late, nobody, outside])
      expect(`${out}${err}`).not.toContain(access.token);
  },
);

test("troupe mcp hands messages on as they are, and ends with its input [MCP-2]", async () => {
  const { env, calls } = await agentProcess((_tool, input) => input);
  const text = "a\u2028b\u2029c";
  const lines = [
    {
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      },
    },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: { name: "channel_send", arguments: { message: text } } },
  ].map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const io = createFakeIo({ env, input: lines.join("") });
  const ended = runCli(["mcp", "--agent", "ada"], io);
  await io.seen('"id":2');
  io.endInput();
  expect(await ended).toBe(0);
  expect(io.err()).toBe("");
  const answers = io
    .out()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(answers).toMatchObject([
    { id: 1, result: { serverInfo: { name: "workflow-context" } } },
    { id: 2, result: { content: [{ type: "text", text: JSON.stringify({ message: text }) }] } },
  ]);
  expect(calls).toHaveLength(1);
});

test("troupe mcp whose agent's session ends says so instead of falling silent [MCP-2]", async () => {
  const { access, env } = await agentProcess();
  const io = createFakeIo({
    env,
    input: `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "nope" })}\n`,
  });
  const ended = runCli(["mcp"], io);
  await io.seen('"id":1');
  await access.close();
  expect(await ended).toBe(6);
  expect(io.err()).toContain("error[MCP_UNREACHABLE]");
});
