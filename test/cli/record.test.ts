import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRecord } from "../../src/foundation/json.ts";
import { call, createProject } from "./fake-io.ts";
import { ONE_STEP } from "./workflows.ts";

const WORKFLOW = `version: "1.0"
name: recorded
pattern: dag
agents:
  - { id: planner, backend: claude }
  - { id: coder, backend: codex }
  - { id: boss, backend: human }
  - { id: check, backend: command, command: ["cat", "src/a.txt"] }
steps:
  - { id: plan, agent: planner, prompt: "{{task}}" }
  - { id: code, agent: coder, prompt: "{{steps.plan.output}}", dependsOn: [plan], maxAttempts: 2, timeout: 5m }
  - { id: approve, agent: boss, prompt: "ship it?", dependsOn: [code] }
  - { id: check, agent: check, dependsOn: [approve], verify: [{ fileExists: src/a.txt }] }
errorHandling: { retryDelay: 1ms }
`;

const LIVE = `version: 1
agents:
  planner:
    - do:
        - thinking: "hm"
        - send: { to: coder, text: "start with the schema" }
        - document: { append: "finding 1\\n", name: notes }
        - call: { tool: channel_send, arguments: { text: "told by a tool" } }
        - call: { tool: channel_read, arguments: { limit: 3 } }
        - signal: { kind: progress, value: "half", confidence: 0.5 }
        - usage: { inputTokens: 1200, outputTokens: 300, costUsd: 0.004 }
      say: "notes\\nDONE: plan ready"
  coder:
    - fail: { code: OVERLOADED, retryable: true, message: "busy" }
    - do:
        - tool: { name: Bash, input: { command: "ls" }, result: "none", isError: true }
        - write: { path: src/a.txt, content: "hello ***\\n" }
        - file: { path: gone.txt, kind: delete }
      say: "DONE: coded"
  boss: [{ say: "yes" }]
`;

test("a recorded run plays back to the same events [AGT-4]", async () => {
  const files = { "w.yaml": WORKFLOW, "live.yaml": LIVE };
  const first = await events(createProject(files), [
    "--cassette",
    "live.yaml",
    "--record",
    "c.yaml",
  ]);
  const recorded = readFileSync(join(first.cwd, "c.yaml"), "utf8");
  const second = await events(createProject({ ...files, "c.yaml": recorded }), [
    "--cassette",
    "c.yaml",
  ]);
  expect(first.events.at(-1)).toMatchObject({ type: "run-ended", outcome: "completed" });
  expect(comparable(second.events)).toEqual(comparable(first.events));
  expect(readFileSync(join(second.cwd, "src/a.txt"), "utf8")).toBe("hello ***\n");
});

test("a run that fails is recorded too, and the recording notices one turn too many [AGT-4]", async () => {
  const failing = `version: 1
agents: { coder: [{ fail: { code: REFUSED, message: "no" } }] }
`;
  const files = { "w.yaml": ONE_STEP, "live.yaml": failing };
  const first = await events(createProject(files), [
    "--cassette",
    "live.yaml",
    "--record",
    "c.yaml",
  ]);
  expect(first.exitCode).toBe(1);
  const recorded = readFileSync(join(first.cwd, "c.yaml"), "utf8");
  expect(recorded).toContain("repeat: fail");
  const second = await events(createProject({ ...files, "c.yaml": recorded }), [
    "--cassette",
    "c.yaml",
  ]);
  expect(comparable(second.events)).toEqual(comparable(first.events));
});

test("secrets do not get into a recording [AGT-11, T11]", async () => {
  const cassette = `version: 1
agents: { coder: [{ do: [{ write: { path: a.txt, content: "key is hunter2-hunter2\\n" } }], fail: { code: NO, message: "hunter2-hunter2" } }] }
`;
  const cwd = createProject({ "w.yaml": ONE_STEP, "live.yaml": cassette });
  const args = ["run", "w.yaml", "do it", "--cassette", "live.yaml", "--record", "c.yaml"];
  await call(cwd, args, { env: { MY_API_KEY: "hunter2-hunter2" } });
  const recorded = readFileSync(join(cwd, "c.yaml"), "utf8");
  expect(recorded).toContain("key is ***");
  expect(recorded).not.toContain("hunter2");
});

test("nothing starts when the recording could not be written [AGT-4, CLI-1]", async () => {
  const cwd = createProject({ "w.yaml": WORKFLOW, "live.yaml": LIVE });
  const args = ["run", "w.yaml", "do it", "--cassette", "live.yaml", "--record", "no/such/c.yaml"];
  const { exitCode, out, err } = await call(cwd, args);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(err).toContain("error[FILE_UNWRITABLE]");
  expect(err).toContain("there is no directory");
  expect(existsSync(join(cwd, ".troupe/runs"))).toBe(false);
});

async function events(cwd: string, args: readonly string[]) {
  const { exitCode, out, err } = await call(cwd, ["run", "w.yaml", "do it", "--json", ...args]);
  expect(err).toBe("");
  return { cwd, exitCode, events: out.trimEnd().split("\n").map(toEvent) };
}

function toEvent(line: string): Record<string, unknown> {
  const event: unknown = JSON.parse(line);
  return isRecord(event) ? event : {};
}

// What differs from run to run, and the cassette's own part in the definition.
const VOLATILE = new Set([
  "at",
  "seq",
  "run",
  "id",
  "ids",
  "key",
  "items",
  "durationMs",
  "cwd",
  "result",
]);
const OF_THE_FILE = new Set(["definitionHash", "seed", "resume", "epoch", "delayMs"]);

/** Events of agents side by side have no order; within one agent a tool's events follow when they are read. */
function comparable(all: readonly Record<string, unknown>[]): readonly string[] {
  return all
    .map((event) =>
      JSON.stringify(event, (name, value: unknown) =>
        VOLATILE.has(name) || OF_THE_FILE.has(name) ? undefined : value,
      ),
    )
    .toSorted();
}
