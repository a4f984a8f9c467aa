import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { call, createProject } from "../fake-io.ts";
import { FEATURE_FILES, PLAY } from "./feature-file.ts";

/** Every agent is told once, so many turns there are. */
const STRAIGHT = `id: straight
agents: [{ id: coder, backend: script }]
steps:
  - { id: one, type: agent, agent: coder, prompt: "First {{input.goal}}, not {{input.other}}", next: two, max_attempts: 3 }
  - { id: two, type: agent, agent: coder, when: 'input.goal == "x"' }
`;
const LISTED = `id: listed
agents: [{ id: coder, backend: script }]
steps:
  - id: all
    type: parallel
    for_each: input.files
    step: { id: check, type: agent, agent: coder, prompt: "check {{item}}" }
`;
const SIDE_BY_SIDE = `id: side
parallel: true
agents: [{ id: coder, backend: script }]
steps:
  - { id: lint, type: agent, agent: coder, prompt: "lint" }
  - { id: unit, type: agent, agent: coder, prompt: "unit" }
  - { id: report, type: agent, agent: coder, prompt: "{{context.lint.result}} {{context.unit.result}}" }
`;
const PARENT = `id: parent
steps:
  - { id: deploy, type: workflow, file: straight.yaml, with: { goal: "{{input}}" } }
`;
const FILES = {
  "parent.yaml": PARENT,
  ...FEATURE_FILES,
  "straight.yaml": STRAIGHT,
  "listed.yaml": LISTED,
  "side.yaml": SIDE_BY_SIDE,
};

test("a plan shows routes, nested steps, guards and what agents will be told; nothing is started [LIM-2]", async () => {
  const cwd = createProject(FILES);
  const { exitCode, out, err } = await call(cwd, ["plan", "feature.yaml", "a login", ...PLAY]);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  const lines = out.split("\n");
  expect(lines.slice(0, 8)).toEqual([
    "plan of feature-dev (steps) from feature.yaml; nothing was started",
    "input: a login",
    "‹…› stands for what is known at run time only, run_000000 for the id of the run",
    "",
    " plan ─▶ approve-plan ─▶ build ─▶ tests ─▶ gate ─▶ review",
    " gate: then → review, else → build",
    " in tests: unit, lint",
    "",
  ]);
  for (const line of [
    "  gate, condition",
    '    condition: context["tests"].success === true',
    "    goes on: then → review, else → build",
    "  tests/unit by coder",
    "      Plan a login",
    "      Build ‹context.plan.title›: [‹context.plan.files.0›]",
    "  guards       at most 100 steps one after the other, 5m00s, 10 failed steps",
    "which of the steps are carried out, and how often, is decided at run time",
  ])
    expect(lines).toContain(line);
  expect(readdirSync(`${cwd}/.troupe`)).toEqual([]);
});

test("the estimate of a step workflow follows its routes: what must run, what may, and how often at most [LIM-2]", async () => {
  const cwd = createProject(FILES);
  const turnsOf = async (...args: readonly string[]) => {
    const { out } = await call(cwd, ["plan", ...args, "--backend", "script", "--json"]);
    return JSON.parse(out).estimate.turns;
  };
  expect(await turnsOf("straight.yaml", "-i", "goal=x")).toEqual({ min: 1, likely: 2, max: 4 });
  // Four agents at most in one of its hundred steps: unit and lint side by side.
  expect(await turnsOf("feature.yaml", "x")).toEqual({ min: 1, likely: 5, max: 200 });
  expect(await turnsOf("listed.yaml", "-i", "files=x")).toMatchObject({ max: null });
});

test("the document of a plan has input, routes and guards, and no rehearsal [LIM-2]", async () => {
  const cwd = createProject(FILES);
  const args = ["plan", "straight.yaml", "-i", "goal=x", "--backend", "script", "--json"];
  const plan = JSON.parse((await call(cwd, args)).out);
  expect(plan).toMatchObject({
    pattern: "steps",
    task: null,
    input: { goal: "x" },
    rehearsal: null,
    limits: { guards: { maxIterations: 100, maxDurationMs: 300_000, maxErrors: 10 } },
    steps: [
      { id: "one", type: "agent", routes: { next: "two" }, mayBeSkipped: false, maxAttempts: 3 },
      { id: "two", when: 'input.goal == "x"', mayBeSkipped: true },
    ],
    prompts: [
      { step: "one", text: "First x, not ‹input.other›" },
      { step: "two", text: "‹the input, and what is known by then, as JSON›" },
    ],
  });
});

test("one step of a plan is chosen by its place [LIM-2]", async () => {
  const cwd = createProject(FILES);
  const { out } = await call(cwd, ["plan", "feature.yaml", "x", ...PLAY, "--step", "tests/unit"]);
  expect(out).toContain("  tests/unit by coder");
  expect(out).not.toContain("tests/lint by");
});

test("steps side by side are drawn by the data that they look at [LIM-2, STP-13]", async () => {
  const cwd = createProject(FILES);
  const { out } = await call(cwd, ["graph", "side.yaml"]);
  expect(`\n${out}`).toBe(`
 lint ─┬▶ report
 unit ─┘
`);
});

test.each([
  ["mermaid", 'n6["gate<br/>condition"]', "n6 -->|else| n2"],
  ["dot", 'n6 [label="gate\\ncondition", shape=box];', 'n6 -> n2 [label="else"];'],
  ["svg", "gate</text>", ">else</text>"],
  ["json", '"type":"condition"', '{"from":"gate","to":"build","kind":"route","label":"else"}'],
])("%s shows the type of steps and the keys of routes [LIM-2]", async (format, node, edge) => {
  const cwd = createProject(FILES);
  const { exitCode, out } = await call(cwd, ["graph", "feature.yaml", "--format", format]);
  expect(exitCode).toBe(0);
  expect(out).toContain(node);
  expect(out).toContain(edge);
});

test("workflows that steps run are listed with their steps and agents [LIM-2, ENG-12]", async () => {
  const cwd = createProject(FILES);
  const { exitCode, out, err } = await call(cwd, ["plan", "parent.yaml", "x"]);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  expect(out).toContain(
    "workflows that steps run\n  straight.yaml: straight (steps); steps one, two; agents coder (script)\n",
  );
});
