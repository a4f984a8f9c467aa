import { expect, test } from "vitest";
import { call, createProject, stable } from "../fake-io.ts";
import { FEATURE_FILES, PLAY } from "./feature-file.ts";

const RUN = ["run", "feature.yaml", "a login", ...PLAY, "--approve", "all"];

const GUARDED = `id: round
max_iterations: 3
steps:
  - { id: ping, type: transform, transform: '1', next: pong }
  - { id: pong, type: transform, transform: '2', next: ping }
`;

/** One `reply` of an agent for each file of the input. */
const EACH = `id: each
agents: [{ id: checker, backend: script }]
steps:
  - id: all
    type: parallel
    for_each: input.files
    step: { id: check, type: agent, agent: checker, prompt: "check {{item}}" }
`;

test("a step workflow runs from its file; its result is output, context and the way that it went [STP-5, CLI-1]", async () => {
  const cwd = createProject(FEATURE_FILES);
  const { exitCode, out } = await call(cwd, [...RUN, "--json"]);
  expect(exitCode).toBe(0);
  const events = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events[0]).toMatchObject({ type: "run-created", input: "a login", program: "steps" });
  expect(events[0]).not.toHaveProperty("task");
  const { result, outcome } = events.at(-1);
  expect(outcome).toBe("completed");
  expect(Object.keys(result).sort()).toEqual(["context", "output", "path"]);
  expect(result.output).toEqual({ verdict: "good", notes: [] });
  expect(result.path).toEqual(
    "plan approve-plan build tests gate build tests gate review".split(" "),
  );
  expect(result.context).toMatchObject({
    style: "short",
    plan: { title: "login" },
    "approve-plan": { approved: true, by: "--approve" },
    unit: { result: "green" },
    verdict: { verdict: "good" },
  });
});

test("--quiet prints the output alone, as JSON when it is no text [STP-5, CLI-1]", async () => {
  const cwd = createProject(FEATURE_FILES);
  const quiet = await call(cwd, [...RUN, "--quiet"]);
  expect(quiet).toMatchObject({ exitCode: 0, err: "" });
  expect(JSON.parse(quiet.out)).toEqual({ verdict: "good", notes: [] });
  expect(quiet.out).toContain('\n  "verdict": "good"');
});

test("plain progress names nested steps by their place and says how often a step was started [CLI-1]", async () => {
  const cwd = createProject(FEATURE_FILES);
  const { out } = await call(cwd, RUN);
  const lines = stable(out)
    .split("\n")
    .map((line) => line.replace(/^00:00:00 /, "").replace(/ +/g, " "));
  expect(lines).toContain("build ● started ×2 (coder)");
  expect(lines).toContain("tests/unit ✖ failed in 0ms: 2 tests fail [RED]");
  expect(lines).toContain("gate ● started ×2");
});

test("show tells each step by its place, its data and how often it was carried out [CLI-1]", async () => {
  const cwd = createProject(FEATURE_FILES);
  await call(cwd, RUN);
  const { out } = await call(cwd, ["show", "@last", "--json"]);
  const shown = JSON.parse(out);
  expect(shown.input).toBe("a login");
  expect(shown.steps.map(({ path }: { path: string }) => path)).toEqual(
    "plan approve-plan build tests tests/unit tests/lint gate review".split(" "),
  );
  const tests = await call(cwd, ["show", "@last", "--step", "tests"]);
  expect(tests.out).toMatch(/^tests completed in \S+, execution 2\n/);
  expect(tests.out).toContain("  - stepId: unit");
  const unit = await call(cwd, ["show", "@last", "--step", "tests/unit", "--json"]);
  expect(JSON.parse(unit.out).step).toMatchObject({ path: "tests/unit", execution: 2 });
  const cost = await call(cwd, ["cost", "@last", "--by", "step"]);
  expect(cost.out).toMatch(/^tests\/unit +2$/m);
});

test("the graph of a run shows its routes, what is inside of a step and how often each was carried out [LIM-2]", async () => {
  const cwd = createProject(FEATURE_FILES);
  await call(cwd, RUN);
  const { out } = await call(cwd, ["graph", "@last"]);
  expect(`\n${out}`).toBe(`
 ✔ plan ─▶ ✔ approve-plan ─▶ ✔ build ×2 ─▶ ✔ tests ×2 ─▶ ✔ gate ×2 ─▶ ✔ review
 gate: else → build, then → review
 in tests: ✔ unit ×2, ✔ lint ×2
 ✔ 8 completed
`);
});

test("a guard that trips is told with the way that led there, and the run ends at its limit [STP-3, ENG-11, CLI-1]", async () => {
  const cwd = createProject({ "round.yaml": GUARDED });
  const { exitCode, out } = await call(cwd, ["run", "round.yaml"]);
  expect(exitCode).toBe(5);
  expect(out).toMatch(/run +▲ max_iterations: 3 steps have run.* · ping → pong → ping/);
  expect(out).toMatch(/limit-reached: max_iterations/);
});

test("a step for each item of a list has a place for each; its graph shows it once [CLI-1, LIM-2]", async () => {
  const cwd = createProject({ "each.yaml": EACH, "input.json": '{"files":["a","b","c"]}' });
  const args = ["run", "each.yaml", "--input", "input.json", "--backend", "script"];
  expect((await call(cwd, args)).exitCode).toBe(0);
  const { steps } = JSON.parse((await call(cwd, ["show", "@last", "--json"])).out);
  expect(steps.map(({ path }: { path: string }) => path).sort()).toEqual([
    "all",
    "all[0]/check",
    "all[1]/check",
    "all[2]/check",
  ]);
  const { out } = await call(cwd, ["graph", "@last"]);
  expect(out).toContain(" in all: ✔ check ×3\n");
});

test("resume --explain says of steps that have not begun what may lead to them [CLI-1]", async () => {
  const cwd = createProject(FEATURE_FILES);
  expect((await call(cwd, ["run", "feature.yaml", "x", ...PLAY])).exitCode).toBe(3);
  const { out } = await call(cwd, ["resume", "@last", "--explain"]);
  const lines = out.split("\n").map((line) => line.trim().replace(/ +/g, " "));
  expect(lines.some((line) => /^▲ approve-plan waits for you approval apr_/.test(line))).toBe(true);
  expect(lines).toContain("○ build starts has not begun, comes after approve-plan");
});

test("limits of the command line bind a step workflow [LIM-1.turns, CLI-1]", async () => {
  const cwd = createProject(FEATURE_FILES);
  const limited = await call(cwd, [...RUN, "--max-turns", "2"]);
  expect(limited.exitCode).toBe(5);
  const { out } = await call(cwd, [...RUN, "--max-concurrency", "1", "--json"]);
  const started = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ type, step }) => type.startsWith("step-") && ["unit", "lint"].includes(step))
    .slice(0, 4)
    .map(({ type, step }) => `${type} ${step}`);
  expect(started).toEqual([
    "step-started unit",
    "step-failed unit",
    "step-started lint",
    "step-completed lint",
  ]);
});

test("what was there when a limit cut a run short is its result [LIM-1.turns, STP-5]", async () => {
  const cwd = createProject(FEATURE_FILES);
  await call(cwd, [...RUN, "--max-turns", "2"]);
  const { out } = await call(cwd, ["logs", "@last", "--json"]);
  const { result } = JSON.parse(out.trim().split("\n").at(-1) ?? "");
  expect(result).toMatchObject({
    output: "built",
    path: ["plan", "approve-plan", "build"],
    context: { style: "short", plan: { title: "login" }, build: { result: "built" } },
  });
});
