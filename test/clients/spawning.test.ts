import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createClientUser, eventsOf } from "./client-user.ts";
import { scriptText } from "./model-server/script.ts";
import type { ClientName } from "./pinned-clients.ts";

// Half a minute by itself; some machines do much else.
const PATIENCE_MS = 240_000;

const pairs: readonly (readonly [parent: ClientName, child: ClientName])[] = [
  ["claude", "codex"],
  ["codex", "gemini"],
  ["gemini", "opencode"],
  ["opencode", "claude"],
];

const COLLAB_TOOL = /(?:spawn_agent|send_input|[._]wait|close_agent|resume_agent|list_agents)$/;

test.for(pairs)(
  "%s is told of tools by the names that it shows, spawns %s by one, waits for it and gets its answer [COL-1, COL-8, COL-16.names, SUB-7]",
  { timeout: PATIENCE_MS },
  async ([parent, child], context) => {
    const task = scriptText({ text: `found by ${child}` });
    const lead = scriptText(
      {
        calls: [
          { tool: "spawn_agent", args: { name: "scout", backend: child, prompt: `Look. ${task}` } },
        ],
      },
      { calls: [{ tool: "wait", args: { ids: ["scout"] } }] },
      { calls: [{ tool: "close_agent", args: { id: "scout" } }] },
      { text: "DONE: it looked" },
    );
    const file = {
      version: "1.0",
      name: "w",
      pattern: "dag",
      agents: [{ id: "lead", cli: parent, spawns: true }],
      steps: [{ id: "ask", agent: "lead", prompt: lead }],
    };
    const user = await createClientUser(context, {
      clients: [parent, child],
      files: { "w.yaml": JSON.stringify(file) },
    });
    expect(await user.type("run", "w.yaml")).toMatchObject({ exitCode: 0 });
    const events = user.events();
    expect(
      eventsOf(events, "agent-spawned").map(({ agent, spec }) => [agent, spec.spawnedBy]),
    ).toEqual([
      ["lead", undefined],
      ["scout", "lead"],
    ]);
    const ended = eventsOf(events, "collab-ended");
    expect(ended.map(({ operation, timedOut, error }) => ({ operation, timedOut, error }))).toEqual(
      ["spawn", "wait", "close"].map((operation) => ({ operation, timedOut: false })),
    );
    expect(JSON.stringify(user.asked(parent).at(-2))).toContain(`found by ${child}`);
    const { entries, tools } = user.asked(parent).at(-2) ?? { entries: [], tools: [] };
    const shown = tools
      .map(({ name, namespace = "" }) => (namespace === "" ? name : `${namespace}.${name}`))
      .filter((name) => COLLAB_TOOL.test(name));
    expect(shown).toHaveLength(6);
    for (const name of shown) expect(JSON.stringify(entries)).toContain(` ${name} `);
    expect(await user.living()).toEqual([]);
  },
);

const STARTED = "started";
// The first time it hangs, for longer than any test.
const TOOL = `'${process.execPath}' -e 'require("node:fs").writeFileSync("${STARTED}", ""); setTimeout(() => {}, 600000)'`;
const COMMAND = `if [ -e ${STARTED} ]; then echo again; else ${TOOL}; fi`;

test("a claude that is killed with a codex of its own at work is told of it when it goes on, and spawns it once [COL-13]", {
  timeout: PATIENCE_MS,
}, async (context) => {
  const task = scriptText({ calls: [{ shell: COMMAND }] }, { text: "it said $RESULT" });
  const lead = scriptText(
    {
      calls: [
        { tool: "spawn_agent", args: { name: "scout", backend: "codex", prompt: `Look. ${task}` } },
      ],
    },
    { calls: [{ tool: "wait", args: { ids: ["scout"] } }] },
    { text: "DONE: $RESULT" },
  );
  const file = {
    version: "1.0",
    name: "w",
    pattern: "dag",
    agents: [{ id: "lead", cli: "claude", spawns: true }],
    steps: [{ id: "ask", agent: "lead", prompt: lead }],
  };
  const user = await createClientUser(context, {
    clients: ["claude", "codex"],
    files: { "w.yaml": JSON.stringify(file) },
  });
  const first = user.start("run", "w.yaml");
  await expect
    .poll(() => existsSync(join(user.cwd, STARTED)), { timeout: PATIENCE_MS, interval: 100 })
    .toBe(true);
  first.kill("SIGKILL");
  await expect.poll(user.living, { timeout: 60_000, interval: 50 }).toEqual([]);
  const before = user.asked("claude").length;
  expect(JSON.stringify(user.asked("claude"))).not.toContain("> scout: ");

  expect(await user.type("resume", "@last")).toMatchObject({ exitCode: 0, err: "" });
  const told = JSON.stringify(user.asked("claude")[before]?.entries);
  expect(told).toContain("You have spawned these agents, and they live");
  expect(told).toMatch(/> scout: (running|completed|pending_init), for: /);
  const events = user.events();
  expect(eventsOf(events, "agent-spawned").map(({ agent }) => agent)).toEqual(["lead", "scout"]);
  expect(eventsOf(events, "step-completed")).toMatchObject([
    { step: "ask", output: expect.stringContaining("it said") },
  ]);
  expect(await user.living()).toEqual([]);
});
