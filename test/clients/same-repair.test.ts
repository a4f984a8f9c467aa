import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import { createClientUser, eventsOf } from "./client-user.ts";
import { scriptText } from "./model-server/script.ts";

// Half a minute by itself; some machines do much else.
const PATIENCE_MS = 240_000;

/** Three ways to run the same agent; each has a broken program of its own. */
const AGENTS = {
  claude: { cli: "claude" },
  codex: { cli: "codex" },
  model: { model: "anthropic/scripted" },
} as const;
const names = Object.keys(AGENTS);

const BROKEN = "module.exports = (a, b) => a - b;\n";
const TEST =
  'if (require("./sum.cjs")(1, 2) !== 3) throw new Error("1 + 2 is not 3");\nconsole.log("all is well");\n';

/** Looks at the test that fails, mends what it is about, and sees it pass. */
function repair(place: string): string {
  return scriptText(
    { text: "I look at the test first.", calls: [{ shell: `cd ${place} && node test.cjs` }] },
    { calls: [{ shell: `cd ${place} && sed -i 's/a - b/a + b/' sum.cjs && node test.cjs` }] },
    { text: "DONE: mended" },
  );
}

const workflow = {
  version: "1.0",
  name: "repair",
  pattern: "fan-out",
  agents: Object.entries(AGENTS).map(([id, kind]) => ({ id, ...kind })),
  steps: names.map((id) => ({
    ...{ id, agent: id, prompt: repair(id) },
    verify: [{ command: ["node", `${id}/test.cjs`] }],
  })),
};

/** What a session of Troupe's own loop writes down of itself; others do that elsewhere. */
const OF_RECORDS = new Set(["model-called", "session-noted"]);

/** The kinds of events that tell of an agent. */
function kindsOf(events: readonly JournalEvent[], agent: string): readonly string[] {
  const own = events.filter((event) => "agent" in event && event.agent === agent);
  return [...new Set(own.map(({ type }) => type))].filter((type) => !OF_RECORDS.has(type)).sort();
}

test("the same repair by Claude Code, Codex and Troupe's own loop ends with the same files and is told by the same kinds of events [LOOP-1.reports, AGT-2]", {
  timeout: PATIENCE_MS,
}, async (context) => {
  const files = names.flatMap((name) => [
    [`${name}/sum.cjs`, BROKEN],
    [`${name}/test.cjs`, TEST],
  ]);
  const user = await createClientUser(context, {
    clients: ["claude", "codex"],
    files: { ...Object.fromEntries(files), "w.json": JSON.stringify(workflow) },
  });
  expect(await user.type("run", "w.json")).toMatchObject({ exitCode: 0, err: "" });
  const events = user.events();
  for (const name of names) {
    const mended = readFileSync(join(user.cwd, name, "sum.cjs"), "utf8");
    expect(mended, name).toBe("module.exports = (a, b) => a + b;\n");
    const returned = eventsOf(events, "tool-returned").filter(({ agent }) => agent === name);
    expect(
      returned.map(({ result }) => /all is well|1 \+ 2 is not 3/.exec(result)?.[0]),
      name,
    ).toEqual(["1 + 2 is not 3", "all is well"]);
    const completed = eventsOf(events, "turn-completed").filter(({ agent }) => agent === name);
    expect(completed, name).toMatchObject([
      { stopReason: "end_turn", usage: { inputTokens: expect.any(Number) } },
    ]);
  }
  const kinds = kindsOf(events, "model");
  expect(kinds).toEqual(expect.arrayContaining(["turn-started", "tool-called", "turn-completed"]));
  for (const name of names) expect(kindsOf(events, name), name).toEqual(kinds);
});
