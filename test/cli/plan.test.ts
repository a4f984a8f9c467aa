import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { call, createProject } from "./fake-io.ts";
import { CASSETTE, ONE_STEP, TWO_STEPS } from "./workflows.ts";

const PLAY = ["--cassette", "cassette.yaml"];

const FULL = `version: "1.0"
name: full
pattern: dag
backend: script
agents:
  - { id: planner, role: lead, model: sonnet, permissionMode: plan }
  - { id: coder, name: Cody, backend: script, session: keep }
  - { id: check, backend: command, command: ["npm", "test"] }
steps:
  - { id: plan, agent: planner, prompt: "{{task}}" }
  - id: code
    agent: coder
    dependsOn: [plan]
    when: 'steps.plan.output != ""'
    prompt: "{{steps.plan.output}}"
    expects: CODED
    maxAttempts: 3
    timeout: 5m
    fallback: [planner]
    verify:
      - { command: "npm test", timeout: 1m }
      - { fileExists: report.md }
  - { id: test, agent: check, dependsOn: [code], prompt: "" }
options: { timeout: 30m, maxConcurrency: 2 }
errorHandling: { onFailure: pause }
`;

test("a plan shows graph, agents, steps with their prompts, limits and estimate [LIM-2, CON-2.text]", async () => {
  const cwd = createProject({ "full.yaml": FULL });
  const { exitCode, out, err } = await call(cwd, ["plan", "full.yaml", "make it"]);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  const lines = out.split("\n");
  const section = (title: string) => {
    const start = lines.findIndex((line) => line.startsWith(title));
    return lines.slice(start, lines.indexOf("", start));
  };
  expect(lines.slice(0, 8)).toEqual([
    "plan of full (dag) from full.yaml; nothing was started",
    "task: make it",
    "‹…› stands for what is known at run time only, run_000000 for the id of the run",
    "",
    " plan ─▶ code? ─▶ test",
    " if code fails: planner (fallback)",
    " a step with ? has a condition, which is decided at run time",
    "",
  ]);
  expect(section("agents")).toEqual([
    "agents",
    "  ID       BACKEND                   MODEL   ROLE  PERMISSIONS  ISOLATION  SESSION  DIRECTORY",
    "  planner  script (of the workflow)  sonnet  lead  plan         none       fresh    .",
    "  coder    script (its own)          -       -     ask          none       keep     .",
    "    name: Cody",
    "  check    command (its own)         -       -     ask          none       fresh    .",
    '    runs: ["npm","test"]',
  ]);
  expect(section("  code by coder")).toEqual([
    "  code by coder, after plan",
    '    when steps.plan.output != "": decided at run time',
    "    up to 3 attempts, the second after 1s, each at most 5m00s",
    "    done when it says CODED",
    "    checked: npm test exits with 0 within 1m00s",
    "    checked: there is report.md",
    "    if it fails: planner",
    "    coder is told",
    "      ## Working Together",
  ]);
  expect(out).toMatch(
    /\n {6}## Your Task\n\n {6}Between [^\n]*\n\n {6}<<<(span_\w+) output of step "plan": ‹output of plan› >>>\1\n/,
  );
  expect(section("limits")).toEqual([
    "limits",
    "  time         at most 30m00s of running time",
    "  at a time    2 steps",
    "  failed step  waits for a person, who may have it tried again",
    "  budget       none",
  ]);
  expect(section("estimate")).toEqual([
    "estimate",
    "  turns   3 if all goes well, at least 2, at most 11 with all retries, reminders and helpers",
    "  cost    unknown (no ended run of this workflow tells, and no limit is set)",
    "  tokens  unknown (no ended run of this workflow tells, and no limit is set)",
    "  time    at most 30m00s (what the limits allow; no earlier run tells more)",
  ]);
});

test("run --dry-run prints what plan prints, and neither leaves anything behind [LIM-2]", async () => {
  const cwd = createProject({ "two.yaml": TWO_STEPS, "cassette.yaml": CASSETTE });
  const before = readdirSync(cwd, { recursive: true });
  const planned = await call(cwd, ["plan", "two.yaml", "x", ...PLAY]);
  const dry = await call(cwd, ["run", "two.yaml", "x", ...PLAY, "--dry-run"]);
  expect(planned.exitCode).toBe(0);
  expect(dry).toEqual(planned);
  const json = await call(cwd, ["run", "two.yaml", "x", ...PLAY, "--dry-run", "--json"]);
  const all = await call(cwd, ["run", "two.yaml", "x", ...PLAY, "--dry-run", "--json=all"]);
  expect(all).toEqual(json);
  expect(JSON.parse(json.out)).toMatchObject({
    v: 1,
    workflow: "two",
    task: "x",
    agents: [
      { id: "planner", backend: "script", backendFrom: "option", isReady: true },
      { id: "check", backend: "command", backendFrom: "agent", isReady: true },
    ],
    steps: [{ id: "plan" }, { id: "verify" }],
    estimate: { turns: { min: 2, likely: 2, max: 3 } },
    rehearsal: { outcome: "completed" },
  });
  expect(readdirSync(cwd, { recursive: true })).toEqual(before);
});

test("a plan looks at earlier runs and changes nothing about them [LIM-2]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP });
  for (const task of ["one", "two"]) await call(cwd, ["run", "one.yaml", task]);
  // Reading a journal may make SQLite's lock files anew.
  const files = () =>
    readdirSync(cwd, { recursive: true }).filter((name) => !/-(shm|wal)$/.test(String(name)));
  const before = files();
  const { out } = await call(cwd, ["plan", "one.yaml", "x"]);
  expect(out).toContain("with all retries, reminders and helpers; 1 in the middle of 2 ended runs");
  expect(files()).toEqual(before);
});

test("limits of the command line bound the estimate [LIM-2]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP });
  const { out } = await call(cwd, ["plan", "one.yaml", "x", "--max-cost", "2", "--max-turns", "1"]);
  expect(out).toContain("  budget       $2.00, 1 turn\n");
  expect(out).toContain("  turns   1 if all goes well, at least 1, at most 1 ");
  expect(out).toContain("  cost    at most $2.00 (what the limits allow");
});

test("agents that are not ready are listed in the plan, with exit code 4 [LIM-2, AGT-14]", async () => {
  const cwd = createProject({ "two.yaml": TWO_STEPS });
  const { exitCode, out } = await call(cwd, ["plan", "two.yaml", "x"]);
  expect(exitCode).toBe(4);
  expect(out).toContain("    ✖ not ready: ");
  expect(out).toContain("      install it: npm install -g @anthropic-ai/claude-code");
  expect(out.trimEnd().split("\n").at(-1)).toBe("✖ not ready: planner");
  expect(out).toContain("    planner is told\n      ## Working Together\n");
});

test("--step shows the prompts of some steps only", async () => {
  const cwd = createProject({ "two.yaml": TWO_STEPS });
  const { out } = await call(cwd, [
    "plan",
    "two.yaml",
    "x",
    "--backend",
    "script",
    "--step",
    "verify",
  ]);
  expect(out).toContain("    check is told\n      look at ‹output of plan›\n");
  expect(out).not.toContain("planner is told");
  const json = await call(cwd, ["plan", "two.yaml", "x", "--step", "plan", "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({
    prompts: [{ step: "plan" }],
    steps: [{ id: "plan" }],
  });
});

test("the plan of a team that talks ends by itself, however many take part [LIM-2, KCK-3]", async () => {
  const agents = Array.from({ length: 40 }, (_, index) => `  a${index}: { backend: script }`);
  const team = ["context:", "agents:", ...agents, "kickoff: 'begin, @all'"].join("\n");
  const { exitCode, out } = await call(createProject({ "team.yaml": team }), ["plan", "team.yaml"]);
  expect(exitCode).toBe(0);
  expect(out).toContain("a39 is told");
  expect(out).not.toContain("this run would end as");
});

test("texts of a file cannot act on the terminal of a plan [T12]", async () => {
  const hostile = ONE_STEP.replace("{{task}}", "\\e[31m\\u202e{{task}}\\r\\nline").replace(
    "{ id: coder,",
    '{ id: coder, name: "Eve {{task}}",',
  );
  const cwd = createProject({ "one.yaml": hostile });
  const { out, err } = await call(cwd, ["plan", "one.yaml", "\u001b[2Jtask"]);
  expect(err).toBe("");
  expect(out).toContain("<U+202E>task\n      line");
  expect(out).toContain("    name: Eve task\n");
  expect(out.replaceAll("\n", "")).not.toMatch(/\p{Cc}|\u202e/u);
});

test.each([
  { given: ["one.yaml"], problem: "error[WORKFLOW_TASK_MISSING]" },
  { given: ["one.yaml", "x", "-i", "nope=1"], problem: "error[WORKFLOW_PARAM_UNKNOWN]" },
  { given: ["none.yaml", "x"], problem: "error[FILE_NOT_FOUND]" },
  { given: ["one.yaml", "x", "--step", "cod"], problem: 'one has no step "cod"' },
  { given: ["one.yaml", "x", "--backend", "scrpt"], problem: "error[BACKEND_UNKNOWN]" },
])("plan $given is refused as the run would be, with exit code 2", async ({ given, problem }) => {
  const cwd = createProject({ "one.yaml": ONE_STEP });
  const { exitCode, out, err } = await call(cwd, ["plan", ...given]);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(err).toContain(problem);
});
