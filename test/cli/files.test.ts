import { expect, test } from "vitest";
import { call, createProject } from "./fake-io.ts";
import { ONE_STEP } from "./workflows.ts";

const BROKEN = ONE_STEP.replace("agent: coder", "agent: codr");
const DOUBTFUL = ONE_STEP.replace("agents:\n", "agents:\n  - { id: idle, backend: script }\n");

test("a valid file is told as such; nothing is run and no project is made [CLI-1]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP });
  const called = await call(cwd, ["validate", "one.yaml", "-C", cwd]);
  expect(called).toMatchObject({ exitCode: 0, err: "" });
  expect(called.out).toMatch(/^✔ .*one\.yaml is valid\n$/);
});

test("all files are checked, also those that cannot be read [CLI-1]", async () => {
  const cwd = createProject({ "good.yaml": ONE_STEP, "broken.yaml": BROKEN });
  const files = ["broken.yaml", "none.yaml", "good.yaml"];
  const text = await call(cwd, ["validate", ...files]);
  expect(text.exitCode).toBe(2);
  expect(text.out).toContain("error[WORKFLOW_UNKNOWN_AGENT]");
  expect(text.out).toContain("error[FILE_NOT_FOUND]");
  expect(text.out).toMatch(/good\.yaml is valid/);
  const json: unknown = JSON.parse((await call(cwd, ["validate", ...files, "--json"])).out);
  expect(json).toMatchObject({
    v: 1,
    ok: false,
    problems: [
      { code: "WORKFLOW_UNKNOWN_AGENT", line: 7, column: expect.any(Number) },
      { code: "FILE_NOT_FOUND", line: 1, column: 1 },
    ],
  });
});

test("warnings alone are exit code 0, unless they count as errors [CLI-1]", async () => {
  const cwd = createProject({ "doubtful.yaml": DOUBTFUL });
  const lenient = await call(cwd, ["validate", "doubtful.yaml"]);
  expect(lenient.exitCode).toBe(0);
  expect(lenient.out).toMatch(/^warning\[/);
  expect((await call(cwd, ["validate", "doubtful.yaml", "--strict"])).exitCode).toBe(2);
});

test("problems come as GitHub commands and as SARIF [CLI-1]", async () => {
  const cwd = createProject({ "broken.yaml": BROKEN });
  const github = await call(cwd, ["validate", "broken.yaml", "--format", "github"]);
  expect(github.out).toMatch(/^::error file=.*broken\.yaml,line=7,col=\d+/);
  const sarif: unknown = JSON.parse(
    (await call(cwd, ["validate", "broken.yaml", "--format", "sarif"])).out,
  );
  expect(sarif).toMatchObject({ version: "2.1.0" });
  expect([github.exitCode]).toEqual([2]);
});

test("a code is explained whatever its case, an unknown one gets a guess [CLI-1]", async () => {
  const known = await call(process.cwd(), ["explain", "workflow_cycle"]);
  expect(known.exitCode).toBe(0);
  expect(known.out).toMatch(/^WORKFLOW_CYCLE\n\nSteps that wait for each other/);
  const json: unknown = JSON.parse(
    (await call(process.cwd(), ["explain", "STORE_BUSY", "--json"])).out,
  );
  expect(json).toMatchObject({ v: 1, code: "STORE_BUSY", retryable: true, exitCode: 6 });
  const unknown = await call(process.cwd(), ["explain", "WORKFLOW_CICLE"]);
  expect(unknown.exitCode).toBe(2);
  expect(unknown.err).toContain('did you mean "WORKFLOW_CYCLE"?');
});

test("a model that nobody has is told where it stands [CLI-1, WF-12.model]", async () => {
  const flow = (agents: string) =>
    `name: flow\npattern: pipeline\nagents:\n${agents}steps:\n  - { id: s, agent: a, prompt: x }\n`;
  const cwd = createProject({
    "model.yaml": flow("  a: { model: nosuch/x }\n"),
    "none.yaml": flow("  a: { backend: model }\n"),
    "good.yaml": flow("  a: { model: anthropic/x }\n"),
  });
  const problems = async (file: string) => {
    const { out } = await call(cwd, ["validate", file, "--json"]);
    return JSON.parse(out).problems;
  };
  expect(await problems("model.yaml")).toMatchObject([
    {
      ...{ code: "BACKEND_SETTINGS_INVALID", line: 4, column: 15 },
      message: expect.stringContaining('nobody knows the provider "nosuch" of its model; known: '),
    },
  ]);
  expect(await problems("none.yaml")).toMatchObject([
    { line: 4, message: expect.stringContaining("it names no model") },
  ]);
  expect(await problems("good.yaml")).toEqual([]);
});
