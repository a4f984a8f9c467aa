import { existsSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ProcessEntry } from "../../src/host/system/process-entry.ts";
import { createClientUser, eventsOf } from "./client-user.ts";
import { TOKENS } from "./model-server/model-request.ts";
import { scriptText } from "./model-server/script.ts";
import type { ClientName } from "./pinned-clients.ts";

// Each starts a client twice, on machines that do much else.
const PATIENCE_MS = 180_000;
const GONE = { timeout: 60_000, interval: 50 };
const STARTED = "started";
const TOOL_VARIABLE = "CRASH_TOOL";
// Some clients refuse to run a plain `sleep`. What runs once more ends.
const TOOL = `${TOOL_VARIABLE}=yes '${process.execPath}' -e 'require("node:fs").writeFileSync("${STARTED}", ""); setTimeout(() => {}, 60000)'`;
const COMMAND = `if [ -e ${STARTED} ]; then echo tried again; else ${TOOL}; fi`;

const NOTING = scriptText({ text: "I keep it in mind\nDONE: noted" });
const WORKING = scriptText({ calls: [{ shell: COMMAND }] }, { text: "DONE: it said $RESULT" });

function workflowOf(backend: ClientName): string {
  // JSON is YAML.
  return JSON.stringify({
    version: "1.0",
    name: "killed",
    pattern: "pipeline",
    agents: [
      { id: "counter", backend: "command", command: "echo ran >> runs.txt" },
      { id: "worker", backend, session: "keep" },
    ],
    steps: [
      { id: "count", agent: "counter" },
      { id: "note", agent: "worker", prompt: `the number is 4711 ${NOTING}` },
      { id: "work", agent: "worker", prompt: `go on ${WORKING}` },
    ],
  });
}

const clients: readonly ClientName[] = ["claude", "codex", "gemini", "opencode"];

test.for(clients)(
  "killed in the middle of a tool of %s, a run leaves no process, and goes on with the same session [AGT-7.crash, AGT-15, ENG-2, ENG-6, P11]",
  { timeout: PATIENCE_MS },
  async (client, context) => {
    const files = { "w.yaml": workflowOf(client) };
    const user = await createClientUser(context, { clients: [client], files });
    const first = user.start("run", "w.yaml");
    await Promise.race([fileAppears(user.cwd, STARTED), endedEarly(first.ended)]);
    expect((await user.living()).some(isTool)).toBe(true);
    first.kill("SIGKILL");
    await expect.poll(user.living, GONE).toEqual([]);
    const askedBefore = user.asked(client).length;

    expect(await user.type("resume", "@last")).toMatchObject({ exitCode: 0, err: "" });
    expect(await user.living()).toEqual([]);
    const events = user.events();
    expect(eventsOf(events, "run-ended")).toMatchObject([{ outcome: "completed" }]);
    const ready = eventsOf(events, "agent-ready").filter(({ agent }) => agent === "worker");
    const [token] = ready.map(({ resume }) => resume);
    expect(ready.map(({ resume }) => resume)).toEqual([expect.any(String), token]);
    const told = JSON.stringify(user.asked(client)[askedBefore]?.entries);
    expect(told).toContain("the number is 4711");
    expect(told).toContain("I keep it in mind");
    // The call that was cut off, once more, and its result.
    expect(user.asked(client)).toHaveLength(askedBefore + 2);
    const [, , usage = {}] = eventsOf(events, "turn-completed").map((turn) => turn.usage);
    expect([undefined, 2 * TOKENS.input]).toContain(usage.inputTokens);
    expect(readFileSync(join(user.cwd, "runs.txt"), "utf8")).toBe("ran\n");
    const completed = eventsOf(events, "step-completed");
    expect(completed.map(({ step, output }) => [step, output])).toEqual([
      ["count", ""],
      ["note", "noted"],
      ["work", expect.stringContaining("tried again")],
    ]);
  },
);

function isTool(entry: ProcessEntry): boolean {
  return entry.variable(TOOL_VARIABLE) === "yes";
}

async function fileAppears(directory: string, name: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => {
    if (existsSync(join(directory, name))) resolve();
  };
  const watcher = watch(directory, look);
  look();
  await promise;
  watcher.close();
}

async function endedEarly(ended: Promise<unknown>): Promise<never> {
  throw new Error(`the run ended before its tool began: ${JSON.stringify(await ended)}`);
}
