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

test("a recording of a run with others below it plays each of them again [AGT-4, ENG-12]", async () => {
  const child = `
id: child
agents: [{ id: worker }]
steps:
  - { id: work, type: agent, agent: worker, next: again }
  - { id: again, type: workflow, file: leaf.yaml }
`;
  const leaf = `
id: leaf
agents: [{ id: worker }]
steps: [{ id: work, type: agent, agent: worker }]
`;
  const parent = `
id: parent
agents: [{ id: worker }]
steps:
  - { id: first, type: agent, agent: worker, next: rounds }
  - id: rounds
    type: parallel
    for_each: input.list
    step: { id: sub, type: workflow, file: child.yaml }
`;
  const live = `version: 1
agents: { worker: [{ say: "one" }] }
runs:
  "rounds/sub[0]/x": { agents: { worker: [{ say: "unused" }] } }
`;
  const files = { "w.yaml": parent, "child.yaml": child, "leaf.yaml": leaf, "live.yaml": live };
  const cwd = createProject({ ...files, "input.json": JSON.stringify({ list: [1, 2] }) });
  const run = ["run", "w.yaml", "--input", "input.json", "--quiet"];
  expect(
    await call(cwd, [...run, "--cassette", "live.yaml", "--record", "rec.yaml"]),
  ).toMatchObject({ exitCode: 0, err: "" });
  const recorded = readFileSync(join(cwd, "rec.yaml"), "utf8");
  const keys = [...recorded.matchAll(/^ {2}(\S.*):$/gmu)].map(([, key = ""]) => key);
  expect(keys.filter((key) => key.includes("child#"))).toHaveLength(4);
  // Each run says something of its own when it is played again.
  const parts = recorded.split("say: one");
  expect(parts).toHaveLength(6);
  const told = parts.reduce((text, part, index) => `${text}say: said ${index}${part}`);
  const again = createProject({
    ...files,
    "input.json": JSON.stringify({ list: [1, 2] }),
    "rec.yaml": told,
  });
  const played = await call(again, [...run.slice(0, -1), "--cassette", "rec.yaml", "--json"]);
  expect(played.exitCode).toBe(0);
  for (let index = 1; index <= 5; index += 1) expect(played.out).toContain(`said ${index}`);
});
