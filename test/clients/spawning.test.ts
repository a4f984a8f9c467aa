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

test.for(pairs)(
  "%s spawns %s by a tool, waits for it and gets its answer [COL-1, COL-8]",
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
    expect(await user.living()).toEqual([]);
  },
);
