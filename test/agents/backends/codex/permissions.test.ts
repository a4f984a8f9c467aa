import { expect, test } from "vitest";
import {
  type AskingTurn,
  answerRequest,
} from "../../../../src/agents/backends/codex/codex-permissions.ts";
import type { TurnClient } from "../../../../src/contracts/turn-client.ts";
import { createRecordingClient } from "../../../../src/testing/turn-request.ts";

const COMMAND = "item/commandExecution/requestApproval";
const FILES = "item/fileChange/requestApproval";
const changes = [
  { path: "/srv/new.ts", kind: { type: "add" as const } },
  { path: "/srv/a.ts", kind: { type: "update" as const, move_path: "/srv/b.ts" } },
];

function asking(answers: Partial<TurnClient> = {}, parts: Partial<AskingTurn> = {}) {
  const client = createRecordingClient(answers);
  const told: string[] = [];
  const turn: AskingTurn = {
    client,
    tools: undefined,
    changesOf: (item) => (item === "call-1" ? changes : undefined),
    tell: async (text) => told.push(text),
    ...parts,
  };
  const ask = (method: string, params: unknown) => answerRequest({ method, params }, turn);
  return { ask, client, told };
}

test("a command is asked for by what the agent wrote [AGT-10]", async () => {
  const { ask, client } = asking();
  const params = { command: "/bin/bash -lc 'npm test'", cwd: "/srv", reason: "needs the network" };
  expect(await ask(COMMAND, params)).toEqual({ decision: "accept" });
  const input = { command: "npm test", cwd: "/srv", reason: "needs the network" };
  expect(client.calls).toEqual([{ method: "requestPermission", input: { tool: "Bash", input } }]);
});

test("the note of a denial is told to the agent before the denial [AGT-10]", async () => {
  const { ask, told } = asking({
    requestPermission: async () => ({ decision: "denied", comment: "ask bob" }),
  });
  expect(await ask(COMMAND, { command: "rm f" })).toEqual({ decision: "decline" });
  expect(told).toEqual(["Your use of Bash was denied: ask bob"]);
});

test("every path of a change is asked for, and one denial denies them all [AGT-10]", async () => {
  const { ask, client } = asking({
    requestPermission: async (_tool, input) => ({
      decision: JSON.stringify(input).includes("b.ts") ? "denied" : "allowed",
    }),
  });
  expect(await ask(FILES, { itemId: "call-1" })).toEqual({ decision: "decline" });
  expect(client.calls.map(({ input }) => input)).toEqual([
    { tool: "Write", input: { file_path: "/srv/new.ts" } },
    { tool: "Edit", input: { file_path: "/srv/a.ts" } },
    { tool: "Edit", input: { file_path: "/srv/b.ts" } },
  ]);
});

test("a change of which nothing is known is denied, and so is a command without a text [AGT-10]", async () => {
  const { ask, client } = asking();
  expect(await ask(FILES, { itemId: "call-9" })).toEqual({ decision: "decline" });
  expect(await ask(COMMAND, {})).toEqual({ decision: "decline" });
  expect(client.calls).toEqual([]);
});

test("a tool that the agent may not use is denied without asking [KCK-7]", async () => {
  const { ask, client, told } = asking({}, { tools: ["Edit"] });
  expect(await ask(COMMAND, { command: "ls" })).toEqual({ decision: "decline" });
  expect(client.calls).toEqual([]);
  expect(told).toEqual(["You may not use Bash here: work without it."]);
});

test("a turn that ends while somebody is asked begins nothing more [AGT-10, ENG-6]", async () => {
  const over = new DOMException("over", "AbortError");
  const { ask } = asking({ requestPermission: () => Promise.reject(over) });
  expect(await ask(COMMAND, { command: "ls" })).toEqual({ decision: "cancel" });
});

test("without a turn everything is denied [AGT-10]", async () => {
  const request = { method: COMMAND, params: { command: "ls" } };
  expect(await answerRequest(request, undefined)).toEqual({ decision: "decline" });
});

test("another host is a fetch, and wider permissions are asked for as what they are [AGT-10]", async () => {
  const { ask, client } = asking();
  await ask(COMMAND, { networkApprovalContext: { host: "evil.example", protocol: "https" } });
  const permissions = { network: { enabled: true }, fileSystem: null };
  expect(await ask("item/permissions/requestApproval", { reason: null, permissions })).toEqual({
    permissions,
    scope: "turn",
  });
  expect(client.calls.map(({ input }) => input)).toEqual([
    { tool: "WebFetch", input: { url: "https://evil.example" } },
    { tool: "request_permissions", input: permissions },
  ]);
});

test("a question to the user reaches a person, with its choices [AGT-2]", async () => {
  const { ask, client } = asking({ ask: async () => "the second" });
  const questions = [
    { id: "q1", question: "Which?", options: [{ label: "one" }, { label: "two" }] },
  ];
  expect(await ask("item/tool/requestUserInput", { questions })).toEqual({
    answers: { q1: { answers: ["the second"] } },
  });
  expect(client.calls).toEqual([{ method: "ask", input: "Which?\n- one\n- two" }]);
});

test("a server of tools may ask for a yes, Troupe's own gets it, and none gets data [AGT-10, MCP-5]", async () => {
  const { ask, client } = asking({ requestPermission: async () => ({ decision: "denied" }) });
  const elicit = (serverName: string, properties: object) =>
    ask("mcpServer/elicitation/request", {
      serverName,
      message: "sure?",
      requestedSchema: { properties },
    });
  expect(await elicit("troupe", {})).toMatchObject({ action: "accept" });
  expect(await elicit("github", {})).toMatchObject({ action: "decline", content: null });
  expect(await elicit("troupe", { password: {} })).toMatchObject({ action: "decline" });
  expect(client.calls).toHaveLength(1);
});

test("a request that nobody knows has no answer [AGT-2]", async () => {
  expect(await asking().ask("attestation/generate", {})).toBeUndefined();
});
