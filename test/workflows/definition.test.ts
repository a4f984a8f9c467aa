import { describe, expect, test } from "vitest";
import { toJson } from "../../src/foundation/json.ts";
import { fileWith, load, problemsOf } from "./load-options.ts";

const FULL = `# yaml-language-server: $schema=../.troupe/schema/workflow.json
$schema: ../schemas/workflow.schema.json
version: "1.0"
name: repo-check
description: Type check and review
tags: [demo]
x-owner: { team: core }
pattern: dag
params:
  target: { type: string, default: "." }
  level: { type: enum, values: [low, high], required: true, description: How strict }
  dry: { type: boolean, required: false }
agents:
  - id: types
    backend: command
    command: ["npm", "run", "typecheck", "--", "{{params.target}}"]
  - id: Reviewer
    name: "Code Reviewer"
    role: reviewer
    cli: claude
    model: claude-sonnet-4-5
    session: keep
    reportsTo: types
    cwd: packages/api
    isolation: none
    env: { CI: "1" }
    permissionMode: accept-edits
    onCrash: restart
    args: [--verbose]
    systemPrompt: Be brief.
steps:
  - id: check-types
    agent: types
  - id: review
    agent: reviewer
    dependsOn: [check-types, built]
    when: 'steps["check-types"].status == "completed" && params.level in ["high"]'
    prompt: |
      {{task}}
      {{steps.check-types.output}} by {{agents.Reviewer.name}} in {{id}} on {{git.branch}}
    expects: REVIEW_COMPLETE
    maxRetries: 2
    timeout: 10m
    fallback: [TYPES]
    verify:
      - { command: "npm test", timeout: 5m }
      - { command: [test, -f, x], expectExit: 1 }
      - { fileExists: reports/report.md }
      - { outputMatches: "^\\\\d+ findings" }
      - { jsonSchema: { type: object } }
      - { gitChanged: true }
reflection: { enabled: false, threshold: 50 }
trajectory: { enabled: false }
coordination: { mode: dag, barriers: [{ id: built, waitFor: [types, types] }] }
options: { timeout: 30m, channel: "workflow-{{id}}", maxConcurrency: 4 }
errorHandling: { maxRetries: 3, retryDelay: 5s, escalateTo: types, onFailure: pause }
`;

describe("a pattern workflow with everything", () => {
  test("becomes a resolved definition of plain JSON [WF-11.checks, WF-14, WF-15, PAT-task.args]", () => {
    const { definition, problems } = load(FULL);
    expect(problems).toEqual([]);
    expect(toJson(definition, "definition")).toEqual(definition);
    const common = { maxAttempts: 4, retryDelayMs: 5000, escalateTo: "types" };
    expect(definition).toEqual({
      format: 2,
      shape: "pattern",
      name: "repo-check",
      description: "Type check and review",
      pattern: "dag",
      params: {
        target: { type: "string", default: ".", required: false },
        level: { type: "enum", values: ["low", "high"], required: true, description: "How strict" },
        dry: { type: "boolean", required: false },
      },
      agents: [
        {
          id: "types",
          backend: "command",
          settings: { command: ["npm", "run", "typecheck", "--", "{{params.target}}"] },
        },
        {
          id: "Reviewer",
          name: "Code Reviewer",
          role: "reviewer",
          backend: "claude",
          model: "claude-sonnet-4-5",
          session: "keep",
          reportsTo: "types",
          cwd: "/project/packages/api",
          env: { CI: "1" },
          permissionMode: "accept-edits",
          onCrash: "restart",
          settings: { args: ["--verbose"], systemPrompt: "Be brief." },
        },
      ],
      steps: [
        { id: "check-types", agent: "types", dependsOn: [], verify: [], fallback: [], ...common },
        {
          id: "review",
          agent: "Reviewer",
          dependsOn: ["check-types", "built"],
          when: 'steps["check-types"].status == "completed" && params.level in ["high"]',
          prompt:
            "{{task}}\n{{steps.check-types.output}} by {{agents.Reviewer.name}} in {{id}} on {{git.branch}}\n",
          expects: "REVIEW_COMPLETE",
          ...common,
          maxAttempts: 3,
          timeoutMs: 600_000,
          fallback: ["types"],
          verify: [
            {
              kind: "command",
              command: "npm test",
              expectExit: 0,
              tellsTests: true,
              timeoutMs: 300_000,
            },
            { kind: "command", command: ["test", "-f", "x"], expectExit: 1, tellsTests: true },
            { kind: "fileExists", path: "reports/report.md" },
            { kind: "outputMatches", pattern: "^\\d+ findings" },
            { kind: "jsonSchema", schema: { type: "object" } },
            { kind: "gitChanged", changed: true },
          ],
        },
      ],
      barriers: [{ id: "built", waitFor: ["types"], signal: "DONE", type: "all" }],
      onFailure: "pause",
      maxConcurrency: 4,
      timeoutMs: 1_800_000,
      channel: "workflow-{{id}}",
      options: {},
    });
  });
});

test("a short file gets every default [WF-10.on-failure, PAT-task.main]", () => {
  const { definition, problems } = load(fileWith("steps: [{ id: one }]", "pipeline"));
  expect(problems).toEqual([]);
  expect(definition).toEqual({
    format: 2,
    shape: "pattern",
    name: "flow",
    pattern: "pipeline",
    params: {},
    agents: [{ id: "a", backend: "claude" }],
    steps: [
      {
        id: "one",
        agent: "a",
        dependsOn: [],
        maxAttempts: 1,
        retryDelayMs: 1000,
        verify: [],
        fallback: [],
      },
    ],
    barriers: [],
    onFailure: "abort",
    timeoutMs: 600_000,
    channel: "main",
    options: {},
  });
});

test("agents may be a map whose keys are the ids", () => {
  const text = "name: flow\npattern: fan-out\nagents:\n  one: { backend: human }\n  two: {}\n";
  expect(load(text).definition?.agents).toEqual([
    { id: "one", backend: "human" },
    { id: "two", backend: "claude" },
  ]);
});

test("a file ending in .json may hold comments and trailing commas [WF-14]", async () => {
  const { parseWorkflow } = await import("../../src/workflows/parse-workflow.ts");
  const { loadOptions } = await import("./load-options.ts");
  const text = `// a flow
{ "name": "flow", /* of */ "pattern": "dag",
  "agents": [{ "id": "a", },], "steps": [{"id": "s", "prompt": "http://x // no comment"},] }`;
  const { definition, problems } = parseWorkflow(text, "flow.json", loadOptions);
  expect(problems).toEqual([]);
  expect(definition).toMatchObject({ steps: [{ prompt: "http://x // no comment" }] });
});

test("a byte order mark and CRLF change nothing", () => {
  const text = fileWith("steps: [{ id: one }]");
  const changed = load(`\uFEFF${text.replaceAll("\n", "\r\n")}`);
  expect(changed.definition).toEqual(load(text).definition);
});

test("a pattern's own block is checked by its schema and becomes its options", () => {
  expect(load(fileWith("fanOut: { failFast: true }", "fan-out")).definition?.options).toEqual({
    failFast: true,
  });
  expect(load(fileWith("fanOut: {}", "fan-out")).definition?.options).toEqual({ failFast: false });
  expect(problemsOf(fileWith("fanOut: { failfast: true }", "fan-out"))).toEqual([
    'WORKFLOW_UNKNOWN_KEY 4:11 unknown key "failfast" in fanOut',
  ]);
});

test("attempts are the step's, else the file's, else one [WF-10.retries]", () => {
  const attempts = (step: string, errorHandling = "") =>
    load(fileWith(`steps: [{ id: one${step} }]\n${errorHandling}`)).definition?.steps[0]
      ?.maxAttempts;
  const three = "errorHandling: { maxRetries: 2 }";
  expect([
    attempts(""),
    attempts("", three),
    attempts(", maxRetries: 0", three),
    attempts(", maxAttempts: 5", three),
  ]).toEqual([1, 3, 1, 5]);
});

test("`expects: none` is kept as it is written", () => {
  const { definition } = load(fileWith("steps: [{ id: one, expects: none }]"));
  expect(definition?.steps[0]?.expects).toBe("none");
});
