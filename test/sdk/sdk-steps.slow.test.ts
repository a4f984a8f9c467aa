import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import {
  compareRuns,
  createMachine,
  defineGuard,
  defineStepType,
  forkRun,
  loadWorkflow,
  readStepResult,
  rerunRun,
  resumeRun,
  runWorkflow,
  workflow,
} from "../../src/index.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "troupe-sdk-steps-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const memory = () => ({ store: "memory", cwd }) as const;

function write(name: string, content: unknown): string {
  const file = join(cwd, name);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

const FEATURE = {
  id: "feature",
  steps: [
    { id: "plan", type: "agent", agent: "planner", next: "code" },
    { id: "code", type: "agent", agent: "coder", input: "plan", output: "change" },
  ],
};

test("functions by agent name get the input object, and their JSON is the data of the step [STP-17, STP-5, SDK-1.files]", async () => {
  const feature = await loadWorkflow(write("feature.json", FEATURE), {
    shape: "steps",
    ...memory(),
  });
  const given: unknown[] = [];
  const run = runWorkflow(
    feature,
    { goal: "dark mode" },
    {
      ...memory(),
      agents: {
        planner: () => ({ files: ["theme.ts"] }),
        coder: (input) => {
          given.push(input);
          return "written";
        },
      },
    },
  );
  const { success, outcome, output, context, error, history } = await run.result;
  expect({ success, outcome, output, error }).toEqual({
    success: true,
    outcome: "completed",
    output: "written",
    error: undefined,
  });
  expect(given).toEqual([
    {
      input: { goal: "dark mode" },
      context: { plan: { files: ["theme.ts"] } },
      plan: { files: ["theme.ts"] },
    },
  ]);
  expect(context).toMatchObject({ workflowId: "feature", input: { goal: "dark mode" } });
  expect([...context.results.keys()]).toEqual(["plan", "code"]);
  expect(context.results.get("code")).toMatchObject({ success: true, data: { result: "written" } });
  expect(context.metadata).toEqual({
    currentStep: "code",
    previousSteps: ["plan", "code"],
    iterationCount: 2,
    errorCount: 0,
  });
  expect(context.data).toMatchObject({ change: { result: "written" } });
  expect(history.map(({ stepId, path }) => [stepId, path])).toEqual([
    ["plan", "plan"],
    ["code", "code"],
  ]);
});

test("a failed step is the error of the result, and its attempts one record [STP-17, ENG-11]", async () => {
  const feature = await loadWorkflow(write("feature.json", FEATURE), {
    shape: "steps",
    ...memory(),
  });
  const run = runWorkflow(feature, "x", {
    ...memory(),
    agents: {
      planner: () => {
        throw new Error("no idea");
      },
      coder: () => "",
    },
  });
  const { success, outcome, error, history } = await run.result;
  expect({ success, outcome }).toEqual({ success: false, outcome: "failed" });
  expect(error).toMatchObject({ code: "BACKEND_FUNCTION_FAILED" });
  expect(history).toMatchObject([{ stepId: "plan", success: false }]);
});

test("a function for nobody is refused before anything starts [STP-17]", async () => {
  const feature = await loadWorkflow(write("feature.json", FEATURE), {
    shape: "steps",
    ...memory(),
  });
  expect(() =>
    runWorkflow(feature, "x", { ...memory(), agents: { plannr: () => "" } }),
  ).toThrowError(
    expect.objectContaining({
      code: "WORKFLOW_FUNCTION_UNUSED",
      hint: expect.stringContaining("planner"),
    }),
  );
});

test("a workflow of another shape than its caller counts on is refused with the way to load it [SDK-1.refused]", async () => {
  const file = write("feature.json", FEATURE);
  await expect(loadWorkflow(file, { ...memory(), backend: "script" })).rejects.toMatchObject({
    code: "WORKFLOW_OTHER_SHAPE",
    hint: expect.stringContaining('shape: "steps"'),
  });
});

const shout = defineStepType({
  name: "shout",
  settings: z.strictObject({ text: z.string() }),
  templates: ["text"],
  routes: ["loud"],
  execute: (_input, { settings, scope }) => ({ said: scope.text(settings.text).toUpperCase() }),
  route: (step, { data }) =>
    step.routes[JSON.stringify(data).length > 20 ? "loud" : "next"] ?? null,
});

test("a step type of one's own runs once per attempt, sees templates and chooses its route [STP-1, STP-17, SDK-1.own]", async () => {
  const calls: number[] = [];
  const flaky = defineStepType({
    name: "flaky",
    execute: (_input, { attempt }) => {
      calls.push(attempt);
      if (calls.length < 2) throw new Error("not yet");
      return { attempts: calls.length };
    },
  });
  const built = workflow("own")
    .stepTypes(shout, flaky)
    .steps({
      try: { type: "flaky", maxAttempts: 2, next: "say" },
      say: { type: "shout", text: "hello {{input}}", next: "short", loud: "long" },
      short: { type: "transform", transform: '"short"' },
      long: { type: "transform", transform: "context.say.said" },
    });
  const { output, context, outcome } = await built.run("dear world", memory()).result;
  expect({ output, outcome }).toEqual({ output: "HELLO DEAR WORLD", outcome: "completed" });
  expect(context.metadata.previousSteps).toEqual(["try", "say", "long"]);
  expect(context.data["try"]).toEqual({ attempts: 2 });
  expect(calls).toHaveLength(2);
});

test("a route that is none of the step's ends the run with an error that names them [STP-17, ENG-11]", async () => {
  const lost = defineStepType({ name: "lost", execute: () => null, route: () => "elsewhere" });
  const built = workflow("lost")
    .stepTypes(lost)
    .steps({ a: { type: "lost", next: "b" }, b: { type: "wait", durationMs: 0 } });
  const run = built.run(null, memory());
  const { success, context } = await run.result;
  expect(success).toBe(false);
  expect(context.metadata.previousSteps).not.toContain("b");
  const parting = await run.parted;
  expect(JSON.stringify(parting.event)).toContain("elsewhere");
});

test("a guard of one's own ends the run as limit-reached [STP-17, STP-3]", async () => {
  const built = workflow("round").steps({
    again: { type: "transform", transform: "true", next: "again" },
  });
  const thrice = defineGuard({
    name: "thrice",
    check: ({ metadata }) => (metadata.iterationCount < 3 ? undefined : "three are enough"),
  });
  const { outcome, error, history } = await built.run(null, { ...memory(), guards: [thrice] })
    .result;
  expect(outcome).toBe("limit-reached");
  expect(error).toMatchObject({ code: "RUN_NOT_COMPLETED" });
  expect(history).toHaveLength(3);
});

test("a run goes on with the code that it was started with, and without it loses nothing [STP-1, ENG-14]", async () => {
  const troupe = await createMachine({
    cwd,
    store: "files",
    env: { ...process.env, XDG_RUNTIME_DIR: cwd },
  });
  const built = workflow("own")
    .stepTypes(shout)
    .steps({
      ask: { type: "approval", message: "Go on?", onApprove: "say" },
      say: { type: "shout", text: "ok" },
    });
  const never = defineGuard({ name: "never", check: () => undefined });
  const run = built.run("x", { troupe, guards: [never] });
  for await (const event of run.events) if (event.type === "approval-requested") break;
  await run.suspend();
  await expect(resumeRun(run.id, { troupe })).rejects.toMatchObject({
    code: "WORKFLOW_CODE_MISSING",
    details: { stepTypes: ["shout"], guards: ["never"] },
  });
  await expect(readStepResult(run.id, { troupe })).rejects.toMatchObject({ code: "RUN_NOT_OVER" });
  const resumed = await resumeRun(run.id, { troupe, stepTypes: [shout], guards: [never] });
  if (resumed.status === "over") throw new Error("it was not over");
  const [approval = ""] = [...resumed.run.state.inbox.keys()];
  await resumed.run.command({ kind: "resolve-approval", approval, decision: "approved" });
  await resumed.run.parted;
  const { output, history } = await readStepResult(run.id, { troupe });
  expect(output).toEqual({ said: "OK" });
  expect(history.map(({ stepId }) => stepId)).toEqual(["ask", "say"]);
});

test("a step type must have a name of its own and no key that every step has [STP-1]", async () => {
  const bad = (options: Parameters<typeof defineStepType>[0]) =>
    workflow("bad")
      .stepTypes(options)
      .steps({ a: { type: "wait", durationMs: 0 } })
      .run(null, memory()).result;
  const execute = () => null;
  await expect(bad({ name: "agent", execute })).rejects.toMatchObject({
    code: "WORKFLOW_STEP_TYPE_INVALID",
  });
  await expect(bad({ name: "no name", execute })).rejects.toThrow("is no id");
  await expect(bad({ name: "x", execute, routes: ["next"], route: () => null })).rejects.toThrow(
    'takes the key "next"',
  );
});

test("a pattern in TypeScript runs like its file [SDK-2, WF-7]", async () => {
  const built = workflow("count")
    .agents({ echo: { backend: "command", command: ["cat"] } })
    .pattern("pipeline", {
      steps: {
        first: { agent: "echo", prompt: "{{task}}" },
        second: { agent: "echo", prompt: "again" },
      },
    });
  const { output, success } = await built.run("hello", memory()).result;
  expect({ output, success }).toEqual({ output: "again", success: true });
});

test("runs are forked, rerun and compared in code [SDK-1.again, ENG-15]", async () => {
  const troupe = await createMachine({ cwd, env: { ...process.env, XDG_RUNTIME_DIR: cwd } });
  const run = workflow("two")
    .steps({
      one: { type: "transform", transform: "input", next: "two" },
      two: { type: "transform", transform: "context.one" },
    })
    .run("x", { troupe });
  await run.result;
  const finish = async (id: string) => {
    const resumed = await resumeRun(id, { troupe });
    if (resumed.status === "resumed") await resumed.run.parted;
    return readStepResult(id, { troupe });
  };
  const fork = await forkRun(run.id, { at: "two" }, { troupe });
  expect(await finish(fork.run)).toMatchObject({ success: true, output: "x" });
  const again = await rerunRun(run.id, { kind: "from", step: "two" }, { troupe });
  expect(again.of).toBe(run.id);
  expect(await finish(again.run)).toMatchObject({ success: true, output: "x" });
  const { divergence } = await compareRuns(run.id, fork.run, { troupe });
  expect(divergence).toBeNull();
});
