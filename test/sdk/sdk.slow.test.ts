import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, expectTypeOf, test } from "vitest";
import {
  dag,
  fanOut,
  loadWorkflow,
  pipeline,
  resumeRun,
  runWorkflow,
  type WorkflowResult,
} from "../../src/index.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "troupe-sdk-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const memory = () => ({ store: "memory", cwd: directory }) as const;

test("a function rates the branches of a graph, and the weak one is cut off [PRM-pruner]", async () => {
  const asked: string[] = [];
  const run = dag({
    ...memory(),
    nodes: [
      { id: "weak", task: "guess", command: ["sleep", "600"] },
      { id: "strong", task: "measure", command: ["echo", "measured"] },
      { id: "sum", task: "go on", command: ["echo", "sum"], dependsOn: ["weak", "strong"] },
    ],
    pruner: {
      evaluator: ({ agent, task }) => {
        asked.push(agent);
        return task.includes("guess") ? "0.1" : "FITNESS: 0.9";
      },
      pruneThreshold: 0.5,
      evaluationIntervalMs: 20,
    },
  });
  const result = await run.result;
  expect(result).toMatchObject({ success: true, output: "sum", metadata: { pruned: ["weak"] } });
  expect(new Set(asked)).toEqual(new Set(["evaluator"]));
});

test("a fan-out of functions and commands gives each agent's result [SDK-1.functions, SDK-6, PAT-fan-out, PAT-task.names]", async () => {
  const done: (string | undefined)[] = [];
  const run = fanOut(
    [
      { task: "one two", run: ({ task }) => `${task.split(" ").length}` },
      { name: "echo", task: "from stdin", command: ["cat"] },
    ],
    { ...memory(), onAgentDone: (agent, summary) => done.push(`${agent}=${summary}`) },
  );
  expectTypeOf(run.result).resolves.toEqualTypeOf<WorkflowResult>();
  const result = await run.result;
  expect(result).toMatchObject({ pattern: "fan-out", success: true, metadata: {} });
  expect(result.agents).toEqual([
    { name: "Worker-1", exitReason: "exited", completedBy: "exit", messages: [], summary: "2" },
    {
      name: "echo",
      exitReason: "exited",
      completedBy: "exit",
      messages: [],
      summary: "from stdin",
    },
  ]);
  expect(done.sort()).toEqual(["Worker-1=2", "echo=from stdin"]);
});

test("braces in the texts of tasks are no templates [SDK-1.functions, WF-4]", async () => {
  const text = "{{task}} ${{ x }} \\{{ {{steps.a.output}}";
  const run = fanOut([{ name: "cat", task: text, command: ["cat"] }], memory());
  expect((await run.result).output).toBe(text);
});

test("a pipeline hands each stage the result of the one before and names them in order [PAT-pipeline, SDK-1.functions, PAT-task.names]", async () => {
  const prompts: string[] = [];
  const run = pipeline(
    [
      { task: "design", script: [{ say: "DONE: a plan with 3 parts" }] },
      { task: "build", script: [{ say: "DONE: built" }] },
      {
        name: "Last",
        task: "look away",
        script: [{ say: "DONE: fine" }],
        receivesPreviousOutput: false,
      },
    ],
    { ...memory(), onTaskAugmented: (_agent, text) => prompts.push(text) },
  );
  const { metadata, output } = await run.result;
  expect(metadata).toEqual({
    stages: [
      { name: "Stage-1", summary: "a plan with 3 parts" },
      { name: "Stage-2", summary: "built" },
      { name: "Last", summary: "fine" },
    ],
  });
  expect(output).toBe("fine");
  expect(prompts[1]).toContain("a plan with 3 parts");
  expect(prompts[2]).not.toContain("built");
});

test("a graph of tasks runs in order of its dependencies [PAT-dag, SDK-1.functions]", async () => {
  const order: string[] = [];
  const note = (id: string) => () => {
    order.push(id);
    return id;
  };
  const run = dag({
    ...memory(),
    nodes: [
      { id: "last", task: "", run: note("last"), dependsOn: ["left", "right"] },
      { id: "left", task: "", run: note("left"), dependsOn: ["first"] },
      { id: "right", task: "", run: note("right"), dependsOn: ["first"] },
      { id: "first", task: "", run: note("first") },
    ],
  });
  expect((await run.result).output).toBe("last");
  expect(order).toEqual(["first", "left", "right", "last"]);
});

test.each([
  [
    "an unknown dependency",
    [
      { id: "build", task: "" },
      { id: "b", task: "", dependsOn: ["biuld"] },
    ],
    'did you mean "build"',
  ],
  [
    "a cycle",
    [
      { id: "a", task: "", dependsOn: ["b"] },
      { id: "b", task: "", dependsOn: ["a"] },
    ],
    undefined,
  ],
  [
    "an id used twice",
    [
      { id: "a", task: "" },
      { id: "a", task: "" },
    ],
    undefined,
  ],
])("a graph with %s is refused before anything starts [PAT-dag]", (_what, nodes, hint) => {
  const refusal = {
    code: "WORKFLOW_GRAPH_INVALID",
    ...(hint === undefined ? {} : { hint: expect.stringContaining(hint) }),
  };
  expect(() => dag({ ...memory(), nodes })).toThrow(expect.objectContaining(refusal));
});

test("names that cannot be ids are refused before anything starts [SDK-1.refused, PAT-task.names]", () => {
  for (const name of ["user", "a b", "1st", "../x"]) {
    expect(() => fanOut([{ name, task: "" }], memory())).toThrow(
      expect.objectContaining({ code: "WORKFLOW_TASK_NAME_INVALID" }),
    );
  }
});

test("an agent that this version cannot run fails the start with words for it [AGT-14]", async () => {
  const run = fanOut([{ name: "a", task: "", cli: "claude" }], memory());
  await expect(run.result).rejects.toMatchObject({ code: "BACKEND_PREFLIGHT_FAILED" });
});

test("a workflow file runs from code with a task, params and a cassette [SDK-1.files, WF-8, AGT-4]", async () => {
  writeFileSync(
    join(directory, "w.yaml"),
    [
      "name: w",
      "pattern: pipeline",
      "params: { target: { type: string, default: here } }",
      "agents: [{ id: a }]",
      "steps: [{ id: one, prompt: 'Look at {{params.target}}: {{task}}' }]",
    ].join("\n"),
  );
  writeFileSync(
    join(directory, "c.yaml"),
    "version: 1\nagents: { a: [{ expect: 'Look at there: please', say: 'DONE: seen' }] }",
  );
  const workflow = await loadWorkflow(join(directory, "w.yaml"), {
    ...memory(),
    cassette: join(directory, "c.yaml"),
  });
  const run = runWorkflow(workflow, "please", { ...memory(), params: { target: "there" } });
  expect((await run.result).output).toBe("seen");
  expect(() => runWorkflow(workflow, "x", { params: { target: true } })).toThrow(
    expect.objectContaining({ code: "WORKFLOW_PARAM_TYPE" }),
  );
});

test("a run that was cancelled says so, and its agents' processes are gone [SDK-6, ENG-6]", async () => {
  const run = fanOut([{ name: "slow", task: "", command: ["sleep", "60"] }], memory());
  for await (const event of run.events) if (event.type === "agent-ready") break;
  await run.cancel("enough");
  expect(await run.parted).toMatchObject({
    event: { outcome: "cancelled", reason: "enough", exitCode: 1 },
  });
  expect((await run.result).agents).toMatchObject([{ name: "slow", exitReason: "cancelled" }]);
});

test("a run with functions is let go and resumed in code where it was [SDK-1.again, SDK-6, ENG-18]", async () => {
  const files = {
    cwd: directory,
    env: { ...process.env, TROUPE_DIR: join(directory, ".troupe") },
  } as const;
  let calls = 0;
  const call = () => {
    calls += 1;
    return `call ${calls}`;
  };
  const started = Promise.withResolvers<void>();
  const hang = () => {
    started.resolve();
    return new Promise<string>(() => {});
  };
  const first = pipeline(
    [
      { name: "one", task: "", run: call },
      { name: "two", task: "", run: hang },
    ],
    files,
  );
  await started.promise;
  await first.suspend();
  await expect(first.result).rejects.toMatchObject({ code: "RUN_LET_GO" });
  const resumed = await resumeRun(first.id, {
    ...files,
    functions: { one: call, two: ({ task }) => `two after ${task}` },
  });
  if (resumed.status !== "resumed") throw new Error("the run was not over");
  expect((await resumed.run.result).metadata).toEqual({
    stages: [
      { name: "one", summary: "call 1" },
      { name: "two", summary: "two after " },
    ],
  });
  expect(calls).toBe(1);
  expect(await resumeRun(first.id, files)).toMatchObject({ status: "over" });
});

test("options.shadow gives tasks a shadow; whom it cannot watch is refused [SDK-1.functions, MSG-10]", async () => {
  const messages: string[] = [];
  const run = fanOut(
    [
      { name: "dev", task: "x", run: () => "made it" },
      { task: "y", run: () => "" },
    ],
    {
      ...memory(),
      shadow: {
        task: "look {{closely}}",
        of: ["dev"],
        speakOn: ["SESSION_END"],
        script: [{ say: "seen" }],
      },
      onMessage: (from, { text }) => void messages.push(`${from}: ${text}`),
    },
  );
  const { agents, success } = await run.result;
  expect([success, agents.map(({ name }) => name)]).toEqual([
    true,
    ["dev", "Worker-2", "dev-Shadow"],
  ]);
  expect(messages.at(-1)).toBe("dev-Shadow: seen");
  const shadow = { task: "x", of: ["nobody"] };
  expect(() => fanOut([{ task: "x", run: () => "" }], { ...memory(), shadow })).toThrow(
    'the name "nobody" is no agent that a shadow could watch',
  );
});
