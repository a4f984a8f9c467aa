import { createServer } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { createModelBackend } from "../../../../src/agents/backends/model/model-backend.ts";
import type { AgentSpec, McpServerSpec } from "../../../../src/contracts/agent.ts";
import { systemClock } from "../../../../src/foundation/clock.ts";
import type { Json } from "../../../../src/foundation/json.ts";
import { createRecordingClient } from "../../../../src/testing/turn-request.ts";
import { createTestHost } from "../test-host.ts";
import { answerMcp } from "./mcp-answers.ts";
import { createMemoryRecord } from "./memory-record.ts";
import { modelRun, resultsOf } from "./model-run.ts";
import { modelTurn } from "./model-turn.ts";

const STDIO: McpServerSpec = {
  command: process.execPath,
  args: [join(import.meta.dirname, "mcp-program.ts")],
  env: { SERVER_TOKEN: "${TEST_SERVER_TOKEN}" },
};
const echo = (text: string) => ({ tool: "mcp__issues__echo", args: { text } });

/** A server that is reached at an address, and the headers that it was sent. */
async function httpServer(more: readonly object[] = []) {
  const tokens = new Set<string | undefined>();
  const state = { description: "Says it again.", more };
  const server = createServer(async (request, response) => {
    tokens.add(request.headers.authorization);
    if (request.method !== "POST") return response.writeHead(405).end();
    const token = request.headers.authorization ?? "nobody";
    const answer = answerMcp(await json(request), { state, token, notify: () => {} });
    if (answer === undefined) return response.writeHead(202).end();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/mcp`, tokens };
}

/** The names of tools that the model was offered last. */
function offered(calls: readonly { readonly body: string }[]): readonly string[] {
  const { tools } = JSON.parse(calls.at(-1)?.body ?? "");
  return tools.map(({ name }: { readonly name: string }) => name);
}

function withServers(
  mcpServers: NonNullable<AgentSpec["mcpServers"]>,
  more: Partial<AgentSpec> = {},
) {
  vi.stubEnv("TEST_SERVER_TOKEN", "s3cret");
  onTestFinished(() => void vi.unstubAllEnvs());
  return { spec: { mcpServers, ...more } };
}

test("tools of a program and of an address are used like any other, with tokens by the names of variables [LOOP-3, LOOP-9.keys]", async () => {
  const { url, tokens } = await httpServer();
  const web = { url, headers: { Authorization: "Bearer ${TEST_SERVER_TOKEN}" } };
  const run = await modelRun(withServers({ issues: STDIO, web }));
  const updates = await run.turn([
    { calls: [echo("here"), { tool: "mcp__web__echo", args: { text: "there" } }] },
    { calls: [{ tool: "mcp__issues__fail", args: {} }] },
    { text: "done" },
  ]);
  expect(resultsOf(updates)).toEqual([
    "here by s3cret",
    "there by Bearer s3cret",
    "error: it went wrong",
  ]);
  expect([...tokens]).toEqual(["Bearer s3cret"]);
});

test("of what a server returns 100 KiB are shown, with how much is missing [LOOP-14.caps]", async () => {
  const run = await modelRun(withServers({ issues: STDIO }));
  const updates = await run.turn([{ calls: [echo("x".repeat(150_000))] }, { text: "done" }]);
  const [shown = ""] = resultsOf(updates);
  const [text, note] = shown.split("\n");
  expect(text).toHaveLength(100 * 1024);
  expect(note).toBe(
    `(${150_000 + " by s3cret".length - 100 * 1024} characters more are not shown)`,
  );
});

test("the token of a server goes to the address that was named, and nowhere that it sends on to [LOOP-3, T13.redirects]", async () => {
  const { url: other, tokens } = await httpServer();
  const server = createServer((_, response) => response.writeHead(307, { location: other }).end());
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/mcp`;
  const headers = { "X-Token": "${TEST_SERVER_TOKEN}" };
  const run = await modelRun(withServers({ web: { url, headers } }));
  await run.turn([{ text: "done" }]);
  expect([...tokens]).toEqual([]);
  expect(run.server.calls().at(-1)?.body).toContain(
    `${url} sends on to ${other}, where nothing is sent; if that is right, say it as the url of the server`,
  );
});

test("a server that is not there, or that dies, is told, and the agent goes on with the others [LOOP-3]", async () => {
  const gone: McpServerSpec = { command: "no-such-program-anywhere" };
  const refused: McpServerSpec = { url: "http://127.0.0.1:1/mcp" };
  const run = await modelRun(
    withServers({ gone, refused, issues: STDIO }, { constraints: { network: true } }),
  );
  const updates = await run.turn([
    { calls: [{ tool: "mcp__issues__break", args: {} }] },
    { calls: [echo("still?")] },
    { text: "done" },
  ]);
  const [died, later] = resultsOf(updates);
  expect(died).toMatch(/^error: /);
  expect(later).toMatch(/^error: /);
  expect(updates.at(-1)).toMatchObject({ type: "stop", reason: "end_turn", text: "done" });
  const body = run.server.calls().at(-1)?.body ?? "";
  expect(body).toContain(
    "[troupe] The tools of the server gone are not there: no-such-program-anywhere is not on PATH",
  );
  expect(body).toContain("[troupe] The tools of the server refused are not there: ");
  expect(offered(run.server.calls())).toContain("mcp__issues__echo");
});

test("what a server says too much of is left out and told, and of two tools that look alike the first is there [LOOP-3, T14]", async () => {
  const tool = (name: string, description: string) => ({
    ...{ name, description, inputSchema: { type: "object" } },
  });
  const { url } = await httpServer([
    ...Array.from({ length: 40 }, (_, index) => tool(`long${index}`, "x".repeat(20_000))),
    ...[tool("a.b", "the first"), tool("a_b", "the second")],
  ]);
  const run = await modelRun(withServers({ web: { url } }, { constraints: { network: true } }));
  await run.turn([{ text: "done" }]);
  const body = run.server.calls().at(-1)?.body ?? "";
  expect(body.length).toBeLessThan(300_000);
  expect(body).toMatch(/\[troupe\] 3\d tools of the server web are left out/);
  expect(body).toContain("the first");
  expect(body).not.toContain("the second");
});

test.each([
  {
    what: "those it names",
    spec: { tools: ["Read", "mcp__issues__echo"] },
    has: ["mcp__issues__echo"],
    lacks: ["mcp__issues__fail"],
  },
  {
    what: "all of a server it names",
    spec: { tools: ["mcp__issues"] },
    has: ["mcp__issues__echo", "mcp__issues__fail"],
    lacks: [],
  },
  {
    what: "none that it is denied",
    spec: { disallowedTools: ["mcp__issues__f*"] },
    has: ["mcp__issues__echo"],
    lacks: ["mcp__issues__fail"],
  },
])("of the tools of servers an agent has $what [LOOP-3, SUB-3]", async ({ spec, has, lacks }) => {
  const { spec: whole } = withServers({ issues: STDIO }, spec);
  const { run, calls } = await modelTurn([{ text: "ok" }], whole);
  await run.over();
  for (const name of has) expect(offered(calls())).toContain(name);
  for (const name of lacks) expect(offered(calls())).not.toContain(name);
});

test("a tool of a server is asked about like any other that may have an effect [LOOP-3, AGT-10]", async () => {
  const { spec } = withServers({ issues: STDIO }, { permissionMode: "dont-ask" });
  const { run } = await modelTurn([{ calls: [echo("x")] }, { text: "ok" }], spec);
  await run.over();
  expect(run.all("permission-resolved").map(({ decision }) => decision)).toEqual(["denied"]);
});

test("a tool that describes itself otherwise than before is used only once a person allows it, also in a later process [LOOP-3, SEC-9.pins]", async () => {
  const record = createMemoryRecord();
  const options = { ...withServers({ issues: STDIO }), record };
  const run = await modelRun(options);
  await run.turn([
    { calls: [echo("one"), { tool: "mcp__issues__change", args: {} }] },
    { text: "ok" },
  ]);
  const asked: Json[] = [];
  const client = (decision: "allowed" | "denied") => ({
    client: createRecordingClient({
      requestPermission: async (tool, input) => {
        if (tool !== "McpToolsChanged") return { decision: "allowed" };
        asked.push(input);
        return { decision };
      },
    }),
  });
  const again = [{ calls: [echo("two")] }, { text: "ok" }];
  const refused = await run.turn(again, { turn: 2, ...client("denied") });
  // The scripted model calls what it is offered only.
  expect(resultsOf(refused)).toEqual([]);
  expect(asked[0]).toContain("issues: echo has changed");
  expect(asked[0]).toContain("- Says it again.\n+ Says it again, and sends it away.");
  expect(run.server.calls().at(-1)?.body).not.toContain("and sends it away");
  expect(run.server.calls().at(-1)?.body).toContain("Left out of the server issues: echo.");
  // Once refused it is not asked about again until the next session.
  await run.turn(again, { turn: 3, ...client("allowed") });
  expect(asked).toHaveLength(1);
  // The project's pins are gone with the process: what the session has agreed to still counts.
  const next = await modelRun({ ...options, resume: "worker@1", like: run });
  const same = await next.turn(
    [{ calls: [echo("three"), { tool: "mcp__issues__change", args: {} }] }, { text: "ok" }],
    { turn: 4, ...client("denied") },
  );
  expect(resultsOf(same)[0]).toBe("three by s3cret");
  const agreed = await next.turn(again, { turn: 5, ...client("allowed") });
  expect(resultsOf(agreed)).toEqual(["two by s3cret"]);
  expect(asked).toHaveLength(2);
  // A new process of the server says what it said at first, which is not what was agreed to last.
  const last = await modelRun({ ...options, resume: "worker@1", like: run });
  const back = await last.turn(again, { turn: 6, ...client("denied") });
  expect(resultsOf(back)).toEqual([]);
  expect(asked).toHaveLength(3);
});

test("an agent without a network reaches no address, and is told so [LOOP-3, AGT-12]", async () => {
  const { url, tokens } = await httpServer();
  const run = await modelRun(withServers({ web: { url } }, { constraints: { network: false } }));
  await run.turn([{ text: "done" }]);
  expect(run.server.calls().at(-1)?.body).toContain(
    "web are not there: its agent may not use the network",
  );
  expect(tokens.size).toBe(0);
});

test("a variable that a server needs and nobody has set is told before anything starts [LOOP-3, AGT-14]", async () => {
  const backend = createModelBackend(
    { host: createTestHost(), clock: systemClock },
    { name: "model", settings: undefined },
  );
  const model = { model: "ollama/x", mcpServers: { issues: STDIO } };
  expect(await backend.check({ id: "a", backend: "model", ...model })).toEqual([
    {
      message: 'agent "a": its server issues needs TEST_SERVER_TOKEN, which is not set',
      hint: "export TEST_SERVER_TOKEN=…",
    },
  ]);
});
