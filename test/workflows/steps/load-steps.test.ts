import { expect, test } from "vitest";
import { loadStepTypes } from "../../../src/programs/steps/registry.ts";
import { loadSteps } from "./load-steps.ts";
import { sourceWorkflows } from "./source-workflows.ts";

const builtInStepTypes = await loadStepTypes();

test.each(Object.keys(sourceWorkflows))(
  "the source's %s workflow loads without a problem when a backend stands for its agents [STP-1, STP-2, WF-14]",
  (name) => {
    const text = sourceWorkflows[name] ?? "";
    const loaded = loadSteps(text, { backendOverride: "script" }, `${name}.json`);
    expect(loaded.problems).toEqual([]);
    expect(loaded.definition?.steps.length).toBeGreaterThan(1);
  },
);

test("a file says only what it means and the rest is filled in [STP-3, STP-4, STP-15]", () => {
  const { definition, problems } = loadSteps(
    "id: flow\nsteps:\n  - { id: plan, type: agent, agent: planner }\n",
    { backendOverride: "script" },
  );
  expect(problems).toEqual([]);
  expect(definition).toEqual({
    format: 2,
    shape: "steps",
    name: "flow",
    params: {},
    agents: [{ id: "planner", backend: "script" }],
    prompts: {},
    steps: [
      {
        id: "plan",
        type: "agent",
        routes: {},
        maxAttempts: 1,
        retryDelayMs: 0,
        timeoutMs: 60_000,
        verify: [],
        steps: [],
        settings: { agent: "planner" },
      },
    ],
    parallel: false,
    initialContext: {},
    maxIterations: 100,
    maxDurationMs: 300_000,
    maxErrors: 10,
    channel: "main",
    workflows: {},
  });
});

const WHOLE = `
$schema: ./steps.json
id: whole
description: all keys
tags: [a]
x-own: { anything: 1 }
max_iterations: 7
max_duration_ms: 1000
max_errors: 2
max_concurrency: 3
initial_context: { files: [a.ts], camelCase: { snake_case: 1 } }
backend: codex
budget: { cost: 1.5, wall_clock: 1m, soft: 0.5 }
options: { channel: "run-{{id}}", timeout_ms: 9000 }
agents:
  planner:
    name: Planner
    backend: claude
    model: anthropic/opus
    permission_mode: acceptEdits
    on_crash: restart
    idle_timeout: 3m
    system_prompt: "Plan {{input}} with {{context.files}}"
    env: { camelCase_and_SNAKE: "1" }
    constraints: { file_scope: { include: ["src/**"] }, read_only: [a], max_tokens: 9, max_duration: 2m }
    reports_to: builder
  builder: { command: [make, "{{input}}"], backend: command }
steps:
  - id: plan
    type: agent
    agent: Planner
    description: first
    when: input != ""
    prompt: "{{#each context.files}}{{this}}{{/each}}"
    max_attempts: 3
    retry_delay_ms: 10
    timeout_ms: 50
    budget: { tokens: 5, wall_clock: 10s }
    output: the-plan
    on_error: ask
    next: all
    verify:
      - { command: "test -f {{input}}", expect_exit: 1, timeout: 5s }
      - { file_exists: "a.md" }
      - { output_matches: "^x" }
      - { json_schema: { type: object, required: [camelCase] } }
      - { git_changed: true }
  - id: all
    type: parallel
    for_each: context.the-plan.files
    step:
      id: one
      type: parallel
      steps:
        - { id: build, type: agent, agent: builder, input: files }
        - { id: ask-one, type: approval, message: "{{item}} at {{index}}?" }
    next: ask
  - { id: ask, type: approval, on_timeout: plan }
`;

test("every key of a step workflow arrives in the definition [STP-1, STP-4, STP-5, STP-12]", () => {
  const { definition, problems } = loadSteps(WHOLE);
  expect(problems).toEqual([]);
  expect(definition).toEqual({
    format: 2,
    shape: "steps",
    name: "whole",
    description: "all keys",
    params: {},
    agents: [
      {
        id: "planner",
        name: "Planner",
        backend: "claude",
        model: "opus",
        permissionMode: "accept-edits",
        onCrash: "restart",
        idleTimeoutMs: 180_000,
        reportsTo: "builder",
        env: { camelCase_and_SNAKE: "1" },
        constraints: { fileScope: { include: ["src/**"] }, readOnly: ["a"] },
        budget: { tokens: 9, wallClockMs: 120_000 },
        settings: { systemPrompt: "Plan {{input}} with {{context.files}}" },
      },
      { id: "builder", backend: "command", settings: { command: ["make", "{{input}}"] } },
    ],
    prompts: {},
    steps: [
      {
        id: "plan",
        type: "agent",
        description: "first",
        when: 'input != ""',
        routes: { next: "all", on_error: "ask" },
        maxAttempts: 3,
        retryDelayMs: 10,
        timeoutMs: 50,
        budget: { tokens: 5, wallClockMs: 10_000 },
        output: "the-plan",
        verify: [
          {
            kind: "command",
            command: "test -f {{input}}",
            expectExit: 1,
            tellsTests: true,
            timeoutMs: 5000,
          },
          { kind: "fileExists", path: "a.md" },
          { kind: "outputMatches", pattern: "^x" },
          { kind: "jsonSchema", schema: { type: "object", required: ["camelCase"] } },
          { kind: "gitChanged", changed: true },
        ],
        steps: [],
        settings: { agent: "Planner", prompt: "{{#each context.files}}{{this}}{{/each}}" },
      },
      {
        id: "all",
        type: "parallel",
        routes: { next: "ask" },
        maxAttempts: 1,
        retryDelayMs: 0,
        verify: [],
        settings: { for_each: "context.the-plan.files" },
        steps: [
          {
            id: "one",
            type: "parallel",
            routes: {},
            maxAttempts: 1,
            retryDelayMs: 0,
            verify: [],
            settings: {},
            steps: [
              {
                id: "build",
                type: "agent",
                routes: {},
                maxAttempts: 1,
                retryDelayMs: 0,
                timeoutMs: 60_000,
                input: "files",
                verify: [],
                steps: [],
                settings: { agent: "builder" },
              },
              {
                id: "ask-one",
                type: "approval",
                routes: {},
                maxAttempts: 1,
                retryDelayMs: 0,
                verify: [],
                steps: [],
                settings: { message: "{{item}} at {{index}}?" },
              },
            ],
          },
        ],
      },
      {
        id: "ask",
        type: "approval",
        routes: { on_timeout: "plan" },
        maxAttempts: 1,
        retryDelayMs: 0,
        verify: [],
        steps: [],
        settings: { on_timeout: "plan" },
      },
    ],
    parallel: false,
    initialContext: { files: ["a.ts"], camelCase: { snake_case: 1 } },
    maxIterations: 7,
    maxDurationMs: 1000,
    maxErrors: 2,
    maxConcurrency: 3,
    timeoutMs: 9000,
    budget: { cost: 1.5, wallClockMs: 60_000, soft: 0.5 },
    channel: "run-{{id}}",
    workflows: {},
  });
});

test("YAML and JSON with comments and trailing commas give the same definition [WF-14, STP-2]", () => {
  const yaml =
    "id: same\nsteps:\n  - { id: a, type: agent, agent: x, next: b }\n  - { id: b, type: transform, transform: context.a.result }\n";
  const json =
    '{ // one\n "id": "same", "steps": [ { "id": "a", "type": "agent", "agent": "x", "next": "b" }, /* two */ { "id": "b", "type": "transform", "transform": "context.a.result", }, ] }';
  const options = { backendOverride: "script" };
  expect(loadSteps(json, options, "same.json").definition).toEqual(
    loadSteps(yaml, options).definition,
  );
  expect(loadSteps(yaml, options).definition).toBeDefined();
});

test("max_retries counts all attempts, of which there is always one [STP-4]", () => {
  const attempts = [0, 1, 3].map((count) => {
    const text = `id: f\nsteps: [{ id: a, type: transform, transform: input, max_retries: ${count} }]\n`;
    return loadSteps(text).definition?.steps[0]?.maxAttempts;
  });
  expect(attempts).toEqual([1, 1, 3]);
});

test("with parallel: true steps that no other leads to are reached, and may refer to later ones [STP-13]", () => {
  const { problems, definition } = loadSteps(`id: f
parallel: true
steps:
  - { id: sum, type: transform, transform: context.one }
  - { id: one, type: transform, transform: input, next: two }
  - { id: two, type: transform, transform: input }
`);
  expect(problems).toEqual([]);
  expect(definition?.parallel).toBe(true);
});

test("without --backend an agent that nothing defines is an error, with it one without a prompt [STP-12]", () => {
  const text = "id: f\nsteps: [{ id: a, type: agent, agent: nobody }]\n";
  expect(loadSteps(text).problems).toMatchObject([
    {
      code: "WORKFLOW_UNKNOWN_AGENT",
      line: 2,
      column: 38,
      hint: "add it to agents, or write .troupe/agents/NAME.md, or run with --backend NAME",
    },
  ]);
  const { definition, backendOrigins } = loadSteps(text, { backendOverride: "codex" });
  expect(definition?.agents).toEqual([{ id: "nobody", backend: "codex" }]);
  expect(backendOrigins.get("nobody")).toBe("option");
});

test("the source's workflows load with the built-in types of steps [STP-1]", () => {
  for (const [name, text] of Object.entries(sourceWorkflows)) {
    const options = { backendOverride: "script", stepTypes: builtInStepTypes };
    const { problems, definition } = loadSteps(text, options, `${name}.json`);
    expect([name, problems]).toEqual([name, []]);
    expect(definition?.name).not.toBe("");
  }
});
