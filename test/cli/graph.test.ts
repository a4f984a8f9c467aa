import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, createProject } from "./fake-io.ts";
import { ONE_STEP, TWO_STEPS } from "./workflows.ts";

const BROKEN = TWO_STEPS.replace("{ id: plan,", "{ id: plan, dependsOn: [verify],");

test("graph draws a file, in ASCII where the terminal has nothing else [LIM-2, CLI-1]", async () => {
  const cwd = createProject({ "two.yaml": TWO_STEPS });
  const drawn = await call(cwd, ["graph", "two.yaml"]);
  expect(drawn).toEqual({ exitCode: 0, out: " plan ─▶ verify\n", err: "" });
  const terminal = { isTerminal: true, env: { LANG: "C" }, columns: 80 };
  const plain = await call(cwd, ["graph", "two.yaml", "--color", "never"], terminal);
  expect(plain.out).toBe(" plan -> verify\n");
  const narrow = await call(cwd, ["graph", "two.yaml"], { isTerminal: true, columns: 12 });
  expect(narrow.out).toContain("as a list");
});

test("graph draws a run with what each step came to, in colours where they are seen [LIM-2]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP });
  await call(cwd, ["run", "one.yaml", "x"]);
  const { out } = await call(cwd, ["graph", "@last"]);
  expect(out).toBe(" ✔ code\n ✔ 1 completed\n");
  const coloured = await call(cwd, ["graph", "@last", "--color", "always"]);
  expect(coloured.out).toContain("\u001b[32m✔ code\u001b[39m");
  const json = await call(cwd, ["graph", "@last", "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({
    v: 1,
    workflow: "one",
    run: { state: "completed" },
  });
});

test.each([
  ["graph.svg", /^<svg /],
  ["graph.mmd", /^flowchart LR/],
  ["graph.dot", /^digraph /],
  ["graph.json", /^\{"v":1,/],
  ["graph.txt", /^ code\n/],
])(
  "graph writes %s in the format of its ending, and nothing to the terminal",
  async (file, begins) => {
    const cwd = createProject({ "one.yaml": ONE_STEP });
    const called = await call(cwd, ["graph", "one.yaml", "-o", file, "--color", "always"]);
    expect(called).toEqual({ exitCode: 0, out: "", err: "" });
    expect(readFileSync(join(cwd, file), "utf8")).toMatch(begins);
    expect(readdirSync(cwd).sort()).toEqual([".troupe", file, "one.yaml"].sort());
  },
);

test("graph takes a template and standard input, with the backend that stands in", async () => {
  const cwd = createProject();
  const template = await call(cwd, ["graph", "bug-fix", "--backend", "script"]);
  expect(template.exitCode).toBe(0);
  expect(template.out).toContain("─▶");
  const piped = await call(cwd, ["graph", "-", "--format", "dot"], { input: ONE_STEP });
  expect(piped.out).toContain('label="code\\ncoder · script"');
});

test("a file that is wrong is told as validate tells it, with exit code 2 [LIM-2]", async () => {
  const cwd = createProject({ "broken.yaml": BROKEN });
  const { exitCode, out, err } = await call(cwd, ["graph", "broken.yaml"]);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(err).toContain("error[WORKFLOW_CYCLE]: steps wait for each other: plan → verify → plan");
  expect(err).toContain("broken.yaml:");
});

test.each([
  { given: ["nope.yaml"], problem: "error[FILE_NOT_FOUND]" },
  { given: ["run_nope"], problem: "error[RUN_NOT_FOUND]" },
  { given: ["@last"], problem: "error[RUN_NOT_FOUND]" },
  { given: ["one.yaml", "--json", "--format", "svg"], problem: "exclude each other" },
  { given: ["one.yaml", "-o", "none/graph.svg"], problem: "error[FILE_UNWRITABLE]" },
  { given: ["@last", "--backend", "script"], problem: "the backends of a run are settled" },
])("graph $given is refused with exit code 2", async ({ given, problem }) => {
  const cwd = createProject({ "one.yaml": ONE_STEP });
  const { exitCode, out, err } = await call(cwd, ["graph", ...given]);
  expect(exitCode).toBe(2);
  expect(given.includes("--json") ? out : err).toContain(problem);
  expect(existsSync(join(cwd, "none"))).toBe(false);
});
