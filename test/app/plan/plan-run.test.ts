import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createMachineAt, type Machine } from "../../../src/app/machine/machine.ts";
import { type PlanRequest, planRun } from "../../../src/app/plan/plan-run.ts";
import { REHEARSAL_RUN } from "../../../src/app/plan/rehearse.ts";
import type { RunPlan } from "../../../src/app/plan/run-plan.ts";
import {
  defineTestWorkflow,
  type TestWorkflow,
} from "../../../src/testing/define-test-workflow.ts";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import { unmarked } from "../../programs/unmarked.ts";

const MEMORY = createMachineAt({ store: "memory" });

function plan(
  workflow: TestWorkflow,
  start: PlanRequest["start"] = {},
  machine: Machine = MEMORY,
): Promise<RunPlan> {
  return planRun(machine, { definition: defineTestWorkflow(workflow), start });
}

/** An empty project in a directory of its own; it goes with the test. */
function projectDirectory(): string {
  const cwd = mkdtempSync(join(tmpdir(), "troupe-plan-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  mkdirSync(join(cwd, ".troupe"));
  return cwd;
}

describe("the prompts of a plan", () => {
  const STEPS = [
    { id: "design", prompt: "{{task}} as {{agents.coder.name}} in run {{id}}" },
    { id: "build", prompt: "build {{steps.design.output}}", expects: "BUILT" },
    { id: "check", agent: "tool", prompt: "check {{steps.build.output}}" },
    { id: "ship", prompt: "ship it, {{params.who}}", expects: "VOTE" },
  ];
  const ORDERED = STEPS.map((step, index) => ({
    ...step,
    dependsOn: STEPS.slice(Math.max(0, index - 1), index).map(({ id }) => id),
  }));
  const AGENTS = [
    { id: "coder", name: "Cody", role: "worker" as const },
    { id: "tool", backend: "function" },
  ];
  // What the stand-ins of a plan say, said by scripted agents.
  const TURNS = {
    "coder/design": [{ say: "DONE: ‹output of design›" }],
    "coder/build": [{ say: "BUILT: ‹output of build›" }],
    "coder/ship": [{ say: "VOTE: approve, ‹output of ship›" }],
  };

  test.each([
    ["dag", ORDERED],
    ["pipeline", STEPS],
    ["fan-out", STEPS.map(({ id, agent = "coder" }) => ({ id, agent, prompt: `do ${id}` }))],
  ])(
    "are to the letter those that a run of a %s journals [LIM-2, CON-2.text]",
    async (pattern, steps) => {
      const workflow: TestWorkflow = { pattern, agents: AGENTS, steps, channel: "team-{{id}}" };
      const start = { task: "a login page", params: { who: "me" } };
      const planned = await plan(workflow, start);
      const turns = pattern === "fan-out" ? { coder: [{ say: "DONE" }] } : TURNS;
      const run = await runWorkflowInMemory(workflow, {
        ...start,
        ...(pattern === "fan-out" ? { turns: {} } : { turns }),
        functions: { tool: () => "‹output of check›" },
      });
      if (pattern !== "fan-out") expect(run.outcome).toBe("completed");
      const journaled = run
        .all("operation-scheduled")
        .filter(({ kind }) => kind === "turn")
        .map(({ input }) => input);
      expect(planned.prompts).toHaveLength(4);
      for (const { agent, step, text } of planned.prompts) {
        const prompt = text.replaceAll(REHEARSAL_RUN, run.id);
        expect(journaled).toContainEqual(
          expect.objectContaining({ agent, prompt, step: expect.objectContaining({ id: step }) }),
        );
      }
      expect(planned.rehearsal).toEqual({ outcome: "completed", reason: "4 of 4 steps done" });
    },
  );

  test("show steps whose condition or check decides at run time, both told", async () => {
    const check = { kind: "fileExists", path: "never.md" } as const;
    const planned = await plan({
      agents: [{ id: "coder" }],
      steps: [
        { id: "fix", when: "task == 'impossible'", prompt: "fix it", verify: [check] },
        { id: "after", dependsOn: ["fix"], prompt: "then {{steps.fix.output}}" },
      ],
    });
    expect(planned.steps[0]).toMatchObject({
      id: "fix",
      when: "task == 'impossible'",
      verify: [check],
    });
    expect(
      planned.prompts.map(({ text }) => unmarked(text.split("## Your Task\n\n").at(-1) ?? "")),
    ).toEqual(["fix it", "then ‹output of fix›"]);
    expect(planned.estimate.turns).toEqual({ min: 1, likely: 2, max: 4 });
  });

  test("open barriers by the signals that these wait for", async () => {
    const planned = await plan({
      agents: [{ id: "coder" }, { id: "reviewer" }],
      steps: [
        { id: "build", agent: "coder" },
        { id: "review", agent: "reviewer", dependsOn: ["built"] },
      ],
      barriers: [{ id: "built", waitFor: ["coder"], signal: "BUILT", type: "all" }],
    });
    expect(planned.rehearsal?.outcome).toBe("completed");
    expect(planned.steps.map(({ id }) => id)).toEqual(["build", "review"]);
  });

  test("hold no secret of the environment", async () => {
    const machine = createMachineAt({ store: "memory", env: { API_TOKEN: "very-secret-value" } });
    const planned = await plan(
      { agents: [{ id: "coder" }], steps: [{ id: "use", prompt: "use {{task}}" }] },
      { task: "very-secret-value", params: { key: "very-secret-value" } },
      machine,
    );
    expect(JSON.stringify(planned)).not.toContain("very-secret-value");
    expect(planned.prompts[0]?.text).toContain("use ***");
  });
});

test("a plan says what a run that cannot succeed would come to", async () => {
  const planned = await plan({
    agents: [{ id: "coder" }, { id: "silent" }],
    steps: [
      { id: "build", agent: "coder" },
      { id: "review", agent: "coder", dependsOn: ["built"] },
    ],
    barriers: [
      { id: "built", waitFor: ["silent"], signal: "BUILT", type: "all", timeoutMs: 60_000 },
    ],
  });
  expect(planned.rehearsal?.outcome).toBe("failed");
  expect(planned.rehearsal?.reason).toContain("built");
  expect(planned.prompts.map(({ step }) => step)).toEqual(["build"]);
});

test("a plan starts no program, loads no module and writes no file [LIM-2]", async () => {
  const cwd = projectDirectory();
  const touch = (name: string) => ["touch", join(cwd, name)];
  writeFileSync(
    join(cwd, "agent.mjs"),
    `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(join(cwd, "loaded"))}, "");`,
  );
  const before = readdirSync(cwd, { recursive: true });
  const machine = createMachineAt({ cwd });
  const planned = await plan(
    {
      agents: [
        { id: "shell", backend: "command", settings: { command: touch("ran") } },
        { id: "code", backend: "function", settings: { module: `${join(cwd, "agent.mjs")}#run` } },
        {
          id: "scripted",
          settings: { script: [{ do: [{ run: `touch ${join(cwd, "played")}` }] }] },
        },
      ],
      steps: [
        {
          id: "shell",
          prompt: "{{git.branch}} {{git.diff}}",
          verify: [{ kind: "command", command: touch("verified"), expectExit: 3 }],
        },
        { id: "code", verify: [{ kind: "gitChanged", changed: true }] },
        { id: "scripted", verify: [{ kind: "jsonSchema", schema: { type: "object" } }] },
      ],
    },
    { task: "go" },
    machine,
  );
  expect(planned.rehearsal?.outcome).toBe("completed");
  expect(planned.agents.map(({ isReady }) => isReady)).toEqual([true, true, true]);
  const shell = planned.prompts.find(({ step }) => step === "shell");
  expect(shell?.text).toBe("‹git branch at that time› ‹git diff at that time›");
  expect(readdirSync(cwd, { recursive: true })).toEqual(before);
  expect(existsSync(machine.project.runsDirectory)).toBe(false);
});

describe("an agent of a plan", () => {
  test("is not ready with the reason and what to do when its backend is not there [AGT-14]", async () => {
    const cwd = projectDirectory();
    const planned = await plan(
      {
        agents: [
          { id: "coder", backend: "codex" },
          { id: "tool", backend: "command", settings: { command: ["no-such-program"] } },
          { id: "code", backend: "function", settings: { module: "/nowhere/agent.ts#run" } },
        ],
      },
      { task: "x", file: "flow.yaml" },
      createMachineAt({ cwd, store: "memory" }),
    );
    expect(planned.agents.map(({ isReady }) => isReady)).toEqual([false, false, false]);
    const [coder, tool, code] = planned.agents.map(({ problems }) => problems);
    expect(coder?.[0]?.hint).toContain("npm install -g @openai/codex");
    expect(tool?.[0]?.message).toContain("no-such-program");
    expect(code?.[0]?.message).toContain("/nowhere/agent.ts");
    // Its prompt is shown all the same.
    expect(planned.prompts).toHaveLength(3);
  });

  test("has its variables filled in", async () => {
    const command = ["deploy", "{{params.target}}"];
    const planned = await plan(
      {
        agents: [
          { id: "ops", name: "Ops of {{task}}", backend: "command", settings: { command } },
          { id: "coder", settings: { systemPrompt: "You work on {{task}}" } },
        ],
      },
      { task: "shop", params: { target: "eu west" } },
    );
    expect(planned.agents[0]).toMatchObject({
      name: "Ops of shop",
      command: ["deploy", "eu west"],
    });
    expect(planned.agents[1]?.systemPrompt).toBe("You work on shop");
  });
});

describe("the estimate of a plan", () => {
  const WORKFLOW: TestWorkflow = {
    agents: [{ id: "coder" }, { id: "helper" }],
    steps: [{ id: "code", maxAttempts: 3, fallback: ["helper", "coder"], escalateTo: "helper" }],
  };

  test("counts attempts, reminders and helpers, up to the budget", async () => {
    const free = await plan(WORKFLOW);
    expect(free.estimate.turns).toEqual({ min: 1, likely: 1, max: 8 });
    const bounded = await plan({ ...WORKFLOW, budget: { turns: 5 } });
    expect(bounded.estimate.turns.max).toBe(5);
    expect(bounded.limits.budget).toEqual({ turns: 5 });
    const compensate = { agent: "helper", prompt: "undo it", timeoutMs: 1000 };
    const saga = await plan({
      ...{ ...WORKFLOW, pattern: "saga" },
      steps: [{ id: "code", maxAttempts: 2, compensate }],
    });
    expect(saga.estimate.turns.max).toBe(8);
  });

  test("is the median of runs that came to their end, and says how many [LIM-2]", async () => {
    const { store } = MEMORY;
    const machine = { ...MEMORY, store };
    const name = "estimated";
    for (const costUsd of [0.1, 0.2, 0.6, undefined]) {
      const usage = {
        usage: {
          inputTokens: 100,
          outputTokens: 20,
          ...(costUsd === undefined ? {} : { costUsd }),
        },
      };
      await runWorkflowInMemory(
        { ...WORKFLOW, name },
        { store, turns: { coder: [{ do: [usage], say: "DONE: ok" }] } },
      );
    }
    const { estimate } = await plan({ ...WORKFLOW, name }, {}, machine);
    expect(estimate.costUsd).toEqual({ basis: "earlier-runs", value: 0.2, runs: 3 });
    expect(estimate.tokens).toEqual({ basis: "earlier-runs", value: 120, runs: 4 });
    expect(estimate.earlierTurns).toEqual({ basis: "earlier-runs", value: 1, runs: 4 });
  });

  test("is what the limits allow without earlier runs, else unknown, and never a zero that nobody knows", async () => {
    const bounded = await plan(
      { ...WORKFLOW, timeoutMs: 60_000 },
      { budget: { cost: 2, tokens: 5000 } },
    );
    expect(bounded.estimate).toMatchObject({
      costUsd: { basis: "budget", atMost: 2 },
      tokens: { basis: "budget", atMost: 5000 },
      durationMs: { basis: "budget", atMost: 60_000 },
    });
    const open = await plan(WORKFLOW);
    expect(open.estimate).toMatchObject({
      costUsd: { basis: "unknown" },
      tokens: { basis: "unknown" },
      durationMs: { basis: "unknown" },
    });
  });

  test("counts the turns that shadows take when everything succeeds [MSG-10, LIM-2]", async () => {
    const shadow = {
      ...{ of: "coder", receiveIncoming: true, receiveOutgoing: true },
      speakOn: ["ALL_MESSAGES" as const],
    };
    const { agents, prompts, rehearsal } = await plan(
      { agents: [{ id: "coder" }, { id: "coder-Shadow", shadow, session: "keep" }] },
      { task: "x" },
    );
    expect(agents.map((agent) => agent.shadow)).toEqual([null, shadow]);
    expect(rehearsal?.outcome).toBe("completed");
    expect(prompts.map(({ agent, step }) => [agent, step])).toEqual([
      ["coder", "coder"],
      ["coder-Shadow", null],
    ]);
    expect(prompts[1]?.text).toContain("copy of what coder wrote: coder in #main");
  });

  test("is nothing where no agent uses a model", async () => {
    const { estimate } = await plan({
      agents: [{ id: "tool", backend: "command", settings: { command: ["true"] } }],
    });
    expect(estimate).toMatchObject({
      costUsd: { basis: "free", value: 0 },
      tokens: { basis: "free", value: 0 },
    });
  });
});
