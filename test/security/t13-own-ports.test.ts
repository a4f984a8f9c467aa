import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startModelServer } from "../clients/model-server/model-server.ts";
import { scriptText } from "../clients/model-server/script.ts";
import { startTroupe } from "../e2e/troupe-process.ts";
import { has } from "../machine.ts";
import { createVictim, eventsOf, type Victim } from "./victim.ts";

// Troupe at work: a run with a port and sockets, and the daemon of its user. Agents who know every port and every socket of
// both try all of them.

// An agent of ACP that shows the way in that it was given, and waits to be let go on.
const BYSTANDER = `import { createInterface } from "node:readline";
import { existsSync, renameSync, writeFileSync } from "node:fs";
const say = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method === "initialize") say({ id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } });
  else if (method === "session/new") say({ id, result: { sessionId: "s" } });
  else if (method === "session/prompt") {
    writeFileSync("url.tmp", process.env.TROUPE_CONTEXT_URL);
    renameSync("url.tmp", "url.txt");
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

// Tries everything that targets.json names, straight and by the proxy that it was given; prints what came of each.
const INTRUDER = `const net = require("node:net");
const { ports, sockets } = JSON.parse(require("node:fs").readFileSync("targets.json", "utf8"));
const ask = (where, bytes) => new Promise((resolve) => {
  let text = "";
  const socket = net.connect(where);
  socket.on("connect", () => socket.write(bytes));
  socket.on("data", (chunk) => { text += chunk; if (text.includes("\\r\\n\\r\\n")) socket.destroy(); });
  socket.on("error", (error) => resolve(error.code));
  socket.on("close", () => resolve(text.split("\\r\\n")[0]));
  socket.setTimeout(2000, () => { socket.destroy(); resolve("silent"); });
});
const get = (host) => "GET /mcp HTTP/1.1\\r\\nHost: " + host + "\\r\\nConnection: close\\r\\n\\r\\n";
(async () => {
  const out = {};
  for (const port of ports)
    for (const host of ["127.0.0.1", "::1", "0.0.0.0", "::ffff:127.0.0.1", "localhost"]) {
      const target = (host.includes(":") ? "[" + host + "]" : host) + ":" + port;
      out[target] = await ask({ host, port }, get(target));
      const tunnel = "CONNECT " + target + " HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n";
      out["by proxy " + target] = await ask({ host: "127.0.0.1", port: 3128 }, tunnel);
    }
  for (const path of sockets) out[path] = await ask({ path }, '{"hello":1}\\n');
  const own = process.env.TROUPE_CONTEXT_URL;
  if (own) out.own = await ask({ host: "127.0.0.1", port: new URL(own).port }, get(new URL(own).host));
  process.stdout.write(JSON.stringify(out));
})();
`;

const node = JSON.stringify(process.execPath);
const OTHER = `name: other
pattern: fan-out
agents: [{ id: ada, backend: acp, command: [${node}, "bystander.mjs"] }]
`;

/** A user at work in a project, and what she listens on. */
async function atWork(files: { readonly [path: string]: string }) {
  const victim = createVictim({
    ...{ "other.yaml": OTHER, "bystander.mjs": BYSTANDER, "intruder.cjs": INTRUDER },
    ...files,
  });
  expect((await victim.troupe("daemon", "start")).exitCode).toBe(0);
  const other = victim.start("run", "other.yaml", "x", "--json");
  onTestFinished(async () => {
    await victim.troupe("daemon", "stop");
  });
  await expect.poll(() => existsSync(join(victim.project, "url.txt"))).toBe(true);
  const { port } = new URL(readFileSync(join(victim.project, "url.txt"), "utf8"));
  const sockets = socketsOf(victim);
  // The run's own socket and that of its tools, and the daemon's.
  expect(sockets.length).toBeGreaterThanOrEqual(2);
  const targets = { ports: [Number(port)], sockets };
  writeFileSync(join(victim.project, "targets.json"), JSON.stringify(targets));
  const end = async () => {
    writeFileSync(join(victim.project, "go"), "");
    return eventsOf(await other.ended);
  };
  return { victim, port, sockets, end };
}

function socketsOf({ env }: Victim): readonly string[] {
  const { XDG_RUNTIME_DIR: root = "" } = env;
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isSocket())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** What the intruder said, without what could not be had at all. */
function reached(text: string): readonly string[] {
  const closed = /^(?:E[A-Z]+|HTTP\/1.1 403 Forbidden)$/;
  return Object.entries(JSON.parse(text)).flatMap(([target, answer]) =>
    closed.test(String(answer)) ? [] : [`${target}: ${answer}`],
  );
}

test("an agent without a sandbox finds the port of a run, and is let in by nobody's token but its own [T13.token, MCP-3]", async () => {
  const intruder = `name: in
pattern: dag
agents: [{ id: eve, backend: command, command: [${node}, "intruder.cjs"] }]
steps: [{ id: s, agent: eve }]
`;
  const { victim, port, end } = await atWork({ "intruder.yaml": intruder });
  const events = eventsOf(await victim.troupe("run", "intruder.yaml", "--json"));
  const [said] = events.filter(({ type }) => type === "step-completed");
  const answers = JSON.parse(String(said?.["output"]));
  expect(answers[`127.0.0.1:${port}`]).toBe("HTTP/1.1 401 Unauthorized");
  const ended = await end();
  expect(ended.filter(({ type }) => type === "requests-refused")).not.toEqual([]);
  expect(ended.at(-1)).toMatchObject({ type: "run-ended", outcome: "completed" });
});

describe.runIf(has("bubblewrap"))("in a sandbox", () => {
  test("an agent reaches no port and no socket of Troupe but its own door, of which it needs the token [T13.own-ports, SEC-3.sandbox]", async () => {
    const intruder = `name: in
pattern: dag
agents: [{ id: eve, backend: command, isolation: sandbox, command: [${node}, "intruder.cjs"] }]
steps: [{ id: s, agent: eve }]
`;
    const { victim, port, sockets, end } = await atWork({ "intruder.yaml": intruder });
    const events = eventsOf(await victim.troupe("run", "intruder.yaml", "--json"));
    const [said] = events.filter(({ type }) => type === "step-completed");
    const text = String(said?.["output"]);
    // Its own door is there, and opens to its token alone.
    expect(reached(text)).toEqual(["own: HTTP/1.1 401 Unauthorized"]);
    expect(Object.keys(JSON.parse(text))).toHaveLength(10 + sockets.length + 1);
    // Its person is told.
    const told = JSON.stringify(events.filter(({ type }) => type === "place-breached"));
    expect(told).toContain(`127.0.0.1:${port}`);
    const ended = await end();
    expect(ended.filter(({ type }) => type === "requests-refused")).toEqual([]);
    expect(ended.at(-1)).toMatchObject({ type: "run-ended", outcome: "completed" });
  });

  test("a model reaches none of them by its shell, and none by WebFetch with any network [T13.own-ports, T13.shell, T13.web]", async () => {
    const server = await startModelServer();
    onTestFinished(() => server.close());
    const call = (tool: string, args: { readonly [name: string]: string }) => ({
      calls: [{ tool, args }],
    });
    const script = scriptText(
      call("Bash", { command: `"${process.execPath}" intruder.cjs > shell.json; cat url.txt` }),
      call("WebFetch", { url: "$RESULT" }),
      { text: "DONE: $RESULT" },
    );
    const intruder = JSON.stringify({
      ...{ version: "1.0", name: "in", pattern: "dag" },
      agents: [
        {
          ...{ id: "eve", model: "anthropic/scripted", isolation: "sandbox" },
          ...{ tools: ["Bash", "WebFetch"], permissionMode: "bypass" },
          constraints: { network: true },
        },
      ],
      steps: [{ id: "s", agent: "eve", prompt: script }],
    });
    const { victim, port, end } = await atWork({ "intruder.yaml": intruder });
    const place = join(victim.home, ".troupe-state/config.yaml");
    const settings = { anthropic: { baseUrl: `${server.urlFor("eve")}/v1` } };
    writeFileSync(place, JSON.stringify({ version: 1, backends: settings }), { mode: 0o600 });
    const { project, env } = victim;
    const run = startTroupe(project, ["run", "intruder.yaml", "--json"], {
      ...env,
      ANTHROPIC_API_KEY: "k",
    });
    const ended = await run.ended;
    expect([ended.exitCode, ended.out === "" ? ended.err : ""]).toEqual([0, ""]);
    const events = eventsOf(ended);
    const [said] = events.filter(({ type }) => type === "step-completed");
    expect(String(said?.["output"])).toContain("it is a loopback address");
    expect(reached(readFileSync(join(victim.project, "shell.json"), "utf8"))).toEqual([]);
    expect(said).toMatchObject({ output: expect.stringContaining(port) });
    expect((await end()).filter(({ type }) => type === "requests-refused")).toEqual([]);
  });
});
