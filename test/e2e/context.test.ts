import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { clientOptions, openDoor, REVISIONS } from "../mcp/door.ts";
import { createProject, troupe } from "./troupe-process.ts";

const bin = join(import.meta.dirname, "../../bin/troupe.js");

const SPEAKING = `version: "1.0"
name: speaking
pattern: dag
agents:
  - { id: ada, backend: command, command: ["sh", "script.sh"] }
  - { id: bob, backend: command, command: ["cat"] }
steps:
  - { id: speak, agent: ada, prompt: go }
  - { id: listen, agent: bob, prompt: "{{steps.speak.output}}", dependsOn: [speak] }
`;

test("the programs of an agent speak as that agent, and nothing that lasts ever holds its token [MCP-3, MCP-6, T3, T11]", async () => {
  const call = `"${process.execPath}" "${bin}" context`;
  const script = [
    "set -e",
    `${call} send '@bob [system] hi' > /dev/null`,
    `${call} doc append 'a finding' --agent ada > /dev/null`,
    `printf '%s' 'kept <%s>' | ${call} doc append - --name plan > /dev/null`,
    `${call} send hi --agent bob > /dev/null 2> refused.txt || echo "refused with $?"`,
    `${call} read`,
    // What it can do wrong: tell its token to everybody.
    "env",
    "env >&2",
    `${call} send "my token is $TROUPE_CONTEXT_TOKEN" > /dev/null`,
    `printf '%s' "$TROUPE_CONTEXT_TOKEN" | cut -c 1-20 > begins.txt`,
    "ps -ef > ps.txt 2> /dev/null || true",
  ].join("\n");
  const cwd = createProject({ "speaking.yaml": SPEAKING, "script.sh": script });
  const { exitCode, out, err } = await troupe(cwd, ["run", "speaking.yaml", "--json=all"]);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  const events = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const posted = events.filter(({ type }) => type === "message-posted");
  expect(posted.map(({ from, text }) => ({ from, text }))).toEqual([
    { from: "ada", text: "@bob [system] hi" },
    { from: "ada", text: "my token is ***" },
  ]);
  const changed = events.filter(({ type }) => type === "document-changed");
  expect(changed.map(({ document, by }) => ({ document, by }))).toEqual([
    { document: "notes", by: "ada" },
    { document: "plan", by: "ada" },
  ]);
  expect(readFileSync(join(cwd, "refused.txt"), "utf8")).toContain("MCP_REQUEST_FORBIDDEN");
  expect(out).toContain("refused with 2");
  expect(out).toContain("TROUPE_CONTEXT_TOKEN=***");
  const begins = readFileSync(join(cwd, "begins.txt"), "utf8").trim();
  expect(begins).toMatch(/^tcx_[\w-]{16}$/);
  expect(out).not.toContain(begins);
  for (const file of filesOf(join(cwd, ".troupe")))
    expect(readFileSync(file).includes(begins), file).toBe(false);
  expect(readFileSync(join(cwd, "ps.txt"), "utf8")).not.toContain(begins);
});

test.each(REVISIONS)(
  "an MCP client of revision %s gets the tools of its agent from troupe mcp [MCP-2, MCP-3]",
  async (revision) => {
    const ada = await openDoor().letIn("ada", { reach: "socket" });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [bin, "mcp", "--agent", "ada"],
      env: {
        PATH: process.env["PATH"] ?? "",
        TROUPE_CONTEXT_TOKEN: ada.token,
        TROUPE_CONTEXT_SOCKET: ada.socketPath,
      },
    });
    const client = new Client({ name: "test", version: "1" }, clientOptions(revision));
    const mentions: unknown[] = [];
    const heard = Promise.withResolvers<void>();
    client.fallbackNotificationHandler = async ({ method, params }) => {
      mentions.push({ method, params });
      heard.resolve();
    };
    await client.connect(transport);
    onTestFinished(() => client.close());
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("channel_send");
    const message = "a\u2028b\u0000c";
    const result = await client.callTool({ name: "channel_send", arguments: { message } });
    expect(result.content).toEqual([
      {
        type: "text",
        text: JSON.stringify({ agent: "ada", tool: "channel_send", input: { message } }),
      },
    ]);
    const mention = { from: "bob", target: "ada", message: "@ada", timestamp: "2026-11-21" };
    ada.mention(mention);
    await heard.promise;
    expect(mentions).toMatchObject([{ method: "notifications/mention", params: mention }]);
  },
);

function filesOf(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile());
}

test.each(REVISIONS)(
  "a call over the size limit is refused through troupe mcp, and the next one is answered, in revision %s [MCP-2]",
  async (revision) => {
    const ada = await openDoor().letIn("ada", { reach: "socket" });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [bin, "mcp"],
      env: {
        PATH: process.env["PATH"] ?? "",
        TROUPE_CONTEXT_TOKEN: ada.token,
        TROUPE_CONTEXT_SOCKET: ada.socketPath,
      },
    });
    const client = new Client({ name: "test", version: "1" }, clientOptions(revision));
    onTestFinished(() => client.close());
    await client.connect(transport);
    const say = (message: string) =>
      client.callTool({ name: "channel_send", arguments: { message } }, { timeout: 5000 });
    await expect(say("x".repeat(5 * 1024 * 1024))).rejects.toMatchObject({
      code: -32600,
      message: expect.stringContaining("MCP_REQUEST_INVALID: request not understood: its line is"),
      data: { code: "MCP_REQUEST_INVALID" },
    });
    const { isError } = await say("hi");
    expect(isError ?? false).toBe(false);
  },
);
