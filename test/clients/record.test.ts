import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { isRecord } from "../../src/foundation/json.ts";
import { call, createProject } from "../cli/fake-io.ts";
import { installedClient } from "./installed-client.ts";
import { scriptText } from "./model-server/script.ts";
import { startedModel } from "./started-model.ts";

const WORKFLOW = `version: "1.0"
name: recorded
pattern: pipeline
agents: [{ id: coder, backend: claude, model: claude-sonnet-4-5, permissionMode: bypass }]
steps: [{ id: code, agent: coder, prompt: "{{task}}" }]
`;

const TOLD: ReadonlySet<unknown> = new Set([
  "tool-called",
  "tool-returned",
  "permission-requested",
  "permission-resolved",
  "turn-completed",
  "step-completed",
]);

test("a run of claude is recorded, and plays back without claude, a key or a network to the same events [AGT-4, AGT-15]", async (context) => {
  const [claude] = installedClient("claude", context);
  const model = await startedModel();
  const task = scriptText({ calls: [{ shell: "echo hi > made.txt" }] }, { text: "DONE: made it" });
  const cwd = createProject({ "w.yaml": WORKFLOW });
  const env = {
    PATH: [dirname(claude), process.env["PATH"]].join(delimiter),
    HOME: cwd,
    ANTHROPIC_BASE_URL: model.urlFor("coder"),
    ANTHROPIC_API_KEY: "key-of-the-scripted-model",
  };
  const args = ["run", "w.yaml", task, "--json"];
  const live = await call(cwd, [...args, "--record", "c.yaml"], { env });
  expect(live.exitCode).toBe(0);
  expect(readFileSync(join(cwd, "made.txt"), "utf8")).toBe("hi\n");
  const played = await call(cwd, [...args, "--cassette", "c.yaml"]);
  expect(played.exitCode).toBe(0);
  expect(told(played.out)).toEqual(told(live.out));
  expect(told(live.out).join("\n")).toMatch(/"tool":"Bash"[\s\S]*"costUsd":0\.0\d/);
});

/** What an agent did and what it cost; the recording asks before it calls, whatever came first. */
function told(out: string): readonly string[] {
  return out
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line))
    .filter((event) => isRecord(event) && TOLD.has(event["type"]))
    .map((event) =>
      JSON.stringify(event, (name, value: unknown) => (VOLATILE.has(name) ? undefined : value)),
    )
    .toSorted();
}

const VOLATILE: ReadonlySet<string> = new Set([
  ...["at", "seq", "run", "id", "asker", "call", "durationMs"],
]);
