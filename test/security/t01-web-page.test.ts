import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { contextRoutes } from "../../src/mcp/context-routes.ts";
import { createVictim, eventsOf } from "./victim.ts";

// An agent of ACP that shows the way in that it was given, and answers once it is let go on.
const AGENT = `import { createInterface } from "node:readline";
import { existsSync, renameSync, writeFileSync } from "node:fs";
const say = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
const name = process.argv[2];
writeFileSync(name + ".tmp", JSON.stringify({ url: process.env.TROUPE_CONTEXT_URL, token: process.env.TROUPE_CONTEXT_TOKEN }));
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method === "initialize") say({ id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } });
  else if (method === "session/new") say({ id, result: { sessionId: "s" } });
  else if (method === "session/prompt") {
    renameSync(name + ".tmp", name);
    const look = setInterval(() => {
      if (!existsSync("go")) return;
      clearInterval(look);
      const content = { type: "text", text: "DONE: yes" };
      say({ method: "session/update", params: { sessionId: "s", update: { sessionUpdate: "agent_message_chunk", content } } });
      say({ id, result: { stopReason: "end_turn" } });
    }, 50);
  } else if (id !== undefined) say({ id, result: {} });
});
`;

const TEAM = `name: team
pattern: fan-out
agents:
  - { id: ada, backend: acp, command: [${JSON.stringify(process.execPath)}, "agent.mjs", "ada"] }
  - { id: bob, backend: acp, command: [${JSON.stringify(process.execPath)}, "agent.mjs", "bob"] }
`;

interface Way {
  readonly url: URL;
  readonly token: string;
}

/** The status line of the answer to a request of a web page, a rebound name or a stray program. */
function status(
  { url }: Way,
  [method, path]: readonly [string, string],
  headers: { readonly [name: string]: string },
): Promise<number> {
  const body = method === "POST" ? "{}" : "";
  const lines = Object.entries({
    Host: url.host,
    Connection: "close",
    "Content-Type": "application/json",
    "Content-Length": String(body.length),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(Number(url.port), "127.0.0.1");
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      // Whoever may upgrade its connection may keep it.
      if (text.includes("\r\n\r\n")) socket.end();
    });
    socket.on("close", () => resolve(Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1] ?? 0)));
    socket.on("error", reject);
    socket.write([`${method} ${path} HTTP/1.1`, ...lines, "", body].join("\r\n"));
  });
}

// The routes as they are: one that is added is tried as well.
const ROUTES = contextRoutes.map(({ method, path }) => ({
  method,
  path: path.replace("*", "channel_send"),
}));

test("no request of a web page or a stranger gets in by any route, and the run says how many came [T1, P24.routes, MCP-2]", async () => {
  const victim = createVictim({ "team.yaml": TEAM, "agent.mjs": AGENT });
  const running = victim.start("run", "team.yaml", "x", "--json");
  const wayOf = async (name: string): Promise<Way> => {
    const file = join(victim.project, name);
    await expect.poll(() => existsSync(file)).toBe(true);
    const { url, token } = JSON.parse(readFileSync(file, "utf8"));
    return { url: new URL(url), token };
  };
  const [way] = [await wayOf("ada"), await wayOf("bob")];
  const bearer = { Authorization: `Bearer ${way.token}` };
  const attempts: readonly (readonly [number, { readonly [name: string]: string }])[] = [
    [401, {}],
    [401, { Authorization: "Bearer wrong" }],
    [401, { Authorization: `Basic ${way.token}` }],
    [401, { Cookie: `token=${way.token}` }],
    [403, { ...bearer, Host: "evil.example" }],
    [403, { ...bearer, Host: `evil.example:${way.url.port}` }],
    [403, { ...bearer, Host: "127.0.0.1:1" }],
    [403, { ...bearer, Origin: "https://evil.example" }],
    [403, { ...bearer, Origin: "null" }],
    [403, { ...bearer, "X-Agent-Id": "bob" }],
  ];
  let count = 0;
  for (const { method, path } of ROUTES) {
    const isUpgrade = method === "UPGRADE";
    for (const [expected, headers] of attempts) {
      const upgrade = isUpgrade ? { Connection: "Upgrade", Upgrade: "mcp-lines" } : {};
      const verb = isUpgrade ? "GET" : method;
      const got = await status(way, [verb, path], { ...headers, ...upgrade });
      expect([method, path, headers, got]).toEqual([method, path, headers, expected]);
      count += 1;
    }
    if (method === "POST") {
      expect(await status(way, [method, path], { ...bearer, "Content-Type": "text/plain" })).toBe(
        415,
      );
      count += 1;
    }
  }
  for (const [method, path] of [
    ["OPTIONS", "/mcp"],
    ["GET", "/tools/channel_send"],
  ] as const) {
    expect(await status(way, [method, path], bearer)).toBe(405);
    count += 1;
  }
  const websocket = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Key": "AA==" };
  expect(await status(way, ["GET", "/mcp"], { ...websocket, Origin: "https://evil.example" })).toBe(
    403,
  );
  count += 1;
  writeFileSync(join(victim.project, "go"), "");
  const ended = await running.ended;
  const refused = eventsOf(ended).filter(({ type }) => type === "requests-refused");
  expect(refused.reduce((sum, event) => sum + Number(event["count"]), 0)).toBe(count);
  // However many come: one of each kind at once, and the rest together.
  expect(refused.length).toBeLessThan(15);
  const shown = await victim.troupe("show", "@last");
  expect(shown.out).toContain(`${count} requests were refused: `);
  expect(ended.out + ended.err).not.toContain(way.token);
});
