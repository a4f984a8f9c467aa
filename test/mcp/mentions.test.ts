import { once } from "node:events";
import { connect } from "node:net";
import { PassThrough } from "node:stream";
import type { Client } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { MentionRelay } from "../../src/mcp/mention-relay.ts";
import { connectClient, openDoor, REVISIONS, WAYS } from "./door.ts";

const MENTION = {
  from: "bob",
  target: "ada",
  message: "@ada look\n\nevent: message",
  timestamp: "2026-11-21T20:00:00.123Z",
};

const cases = WAYS.flatMap((way) => REVISIONS.map((revision) => ({ way, revision })));

test.each(cases)(
  "a connected client of revision $revision is notified of mentions of its agent by the $way [MCP-4, MCP-7]",
  async (ways) => {
    const { letIn } = openDoor();
    const [ada, bob] = [await letIn("ada"), await letIn("bob")];
    const heard = listen(await connectClient(ada, ways));
    const other = listen(await connectClient(bob, ways));
    if (ways.revision === "2026-07-28")
      for (const { client } of [heard, other]) await client.listen({ toolsListChanged: true });
    await heard.hears(() => ada.mention(MENTION));
    await other.hears(() => bob.mention({ ...MENTION, target: "bob" }));
    expect(heard.params.every((params) => params?.["target"] === "ada")).toBe(true);
    expect(other.params.every((params) => params?.["target"] === "bob")).toBe(true);
    expect(heard.params[0]).toMatchObject(MENTION);
  },
);

test("a mention of an agent without a connected client is nothing to anybody [MCP-4]", async () => {
  const ada = await openDoor().letIn("ada");
  expect(() => ada.mention(MENTION)).not.toThrow();
  await ada.close();
  expect(() => ada.mention(MENTION)).not.toThrow();
});

test("a client that does not read costs little memory, and gets the newest mentions when it does [MCP-4]", async () => {
  const relay = new MentionRelay();
  const stream = new PassThrough({ highWaterMark: 1 });
  relay.add(stream, (params) => `${params["message"]}\n`);
  for (let count = 0; count < 1000; count += 1)
    relay.send({ ...MENTION, message: `${count} ${"x".repeat(10_000)}` });
  expect(stream.writableLength + stream.readableLength).toBeLessThan(20_000);
  const lines = String(stream.read()).split("\n").slice(0, -1);
  expect(lines.map((line) => Number.parseInt(line, 10))[0]).toBe(0);
  expect(lines.every((line) => line.length <= 4000)).toBe(true);
  const heard = lines.map((line) => Number.parseInt(line, 10));
  for (let text = stream.read(); heard.at(-1) !== 999; text = stream.read()) {
    if (text === null) await once(stream, "readable");
    else heard.push(Number.parseInt(String(text), 10));
  }
  expect(heard).toEqual(heard.toSorted((left, right) => left - right));
});

test("a mention of a direct connection stands between lines [MCP-2]", async () => {
  const ada = await openDoor().letIn("ada");
  const socket = connect(ada.socketPath);
  const head = [
    "GET /mcp HTTP/1.1",
    "Host: localhost",
    `Authorization: Bearer ${ada.token}`,
    "Connection: Upgrade",
    "Upgrade: mcp-lines",
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  socket.write(
    `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } } })}\n`,
  );
  let text = "";
  for await (const chunk of socket) {
    text += String(chunk);
    if (text.includes('"id":1') && !text.includes("mention")) ada.mention(MENTION);
    if (text.endsWith("\n") && text.includes("mention")) break;
  }
  const [, lines = ""] = text.split("\r\n\r\n");
  const messages = lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(messages).toMatchObject([
    { id: 1, result: { protocolVersion: "2025-11-25" } },
    { method: "notifications/mention", params: MENTION },
  ]);
});

/** Keeps what a client hears of mentions. */
function listen(client: Client) {
  const params: ({ readonly [name: string]: unknown } | undefined)[] = [];
  let tell = () => {};
  client.fallbackNotificationHandler = async (notification) => {
    if (notification.method === "notifications/mention") params.push(notification.params);
    tell();
  };
  /** Says it until it is heard: a client opens its stream when it likes. */
  const hears = async (say: () => void) => {
    while (params.length === 0) {
      const heard = new Promise<void>((resolve) => {
        tell = resolve;
      });
      say();
      await Promise.race([heard, new Promise((resolve) => setImmediate(resolve))]);
    }
  };
  return { client, params, hears };
}
