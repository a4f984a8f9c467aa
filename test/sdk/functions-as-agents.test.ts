import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadWorkflow, runWorkflow } from "../../src/index.ts";

const content = { pattern: "pipeline", agents: [{ id: "one" }, { id: "two" }] };
const functions = {
  one: ({ task }: { readonly task: string }) => `one of ${task}`,
  two: () => "two",
};

test("the agents of a content are functions of the program, without a module or a backend [SDK-1.files]", async () => {
  const run = runWorkflow(content, "the goal", { store: "memory", functions });
  expect(await run.result).toMatchObject({ success: true, output: "two" });
});

test("a function takes the place of an agent of a file, whatever its backend is [SDK-1.files]", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "troupe-functions-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const agents = [
    { id: "one", backend: "claude" },
    { id: "two", backend: "codex" },
  ];
  await writeFile(join(cwd, "w.json"), JSON.stringify({ ...content, name: "w", agents }));
  const options = { cwd, store: "memory", env: { PATH: "/nowhere" } } as const;
  const workflow = await loadWorkflow("w.json", options);
  const run = runWorkflow(workflow, "the goal", { ...options, functions });
  expect(await run.result).toMatchObject({ success: true, output: "two" });
});

test("a function that is nobody's is refused before anything starts, with what was meant [SDK-1.refused]", async () => {
  const wrong = { ...functions, ones: functions.one };
  const run = runWorkflow(content, "x", { store: "memory", functions: wrong });
  await expect(run.result).rejects.toMatchObject({
    code: "WORKFLOW_FUNCTION_UNUSED",
    hint: expect.stringContaining("one"),
  });
});
