import { describe, expect, test } from "vitest";
import { type Called, call, createProject } from "../fake-io.ts";

const ECHO = `id: echo
steps:
  - { id: echo, type: transform, transform: input }
`;
const FIXED = `id: fixed
steps:
  - { id: one, type: transform, transform: "1" }
`;
const PROMPTED = `id: prompted
agents: [{ id: coder, backend: script }]
steps:
  - { id: plan, type: agent, agent: coder, prompt: "Plan {{input.goal}}" }
`;
const WHOLE = `id: whole
agents: [{ id: coder, backend: script }]
steps:
  - { id: plan, type: agent, agent: coder }
`;
const FILES = {
  "echo.yaml": ECHO,
  "fixed.yaml": FIXED,
  "prompted.yaml": PROMPTED,
  "whole.yaml": WHOLE,
  "object.json": '{"a":1,"b":{"c":[2]}}',
  "list.json": "[1,2]",
  "broken.json": "{",
  "task.txt": "from a file\n",
};

/** What the workflow was given, and what it made of it. */
async function echo(cwd: string, ...args: readonly string[]): Promise<unknown> {
  const called = await call(cwd, ["run", "echo.yaml", ...args, "--quiet"]);
  expect(called).toMatchObject({ exitCode: 0, err: "" });
  const { input } = JSON.parse((await call(cwd, ["show", "@last", "--json"])).out);
  return input;
}

function problemOf({ err }: Called): string {
  return err.split("\n")[0] ?? "";
}

describe("the input of a step workflow", () => {
  test("is the task as it is, or the text of a file [STP-5, CLI-1]", async () => {
    const cwd = createProject(FILES);
    expect(await echo(cwd, "build it")).toBe("build it");
    expect(await echo(cwd, "--task-file", "task.txt")).toBe("from a file");
  });

  test("is an object of the keys of -i, whose values stay texts [STP-5, CLI-1]", async () => {
    const cwd = createProject(FILES);
    expect(await echo(cwd, "-i", "goal=login", "-i", "size=3", "-i", "url=a=b")).toEqual({
      goal: "login",
      size: "3",
      url: "a=b",
    });
  });

  test("is any JSON of --input, and -i wins over its keys [STP-5, CLI-1]", async () => {
    const cwd = createProject(FILES);
    expect(await echo(cwd, "--input", "list.json")).toEqual([1, 2]);
    expect(await echo(cwd, "--input", "object.json", "-i", "a=x")).toEqual({
      a: "x",
      b: { c: [2] },
    });
  });

  test.each([
    [["a task", "-i", "a=b"], "the input is given twice: as a task and by -i"],
    [["a task", "--input", "object.json"], "the input is given twice: as a task and by --input"],
    [["--task-file", "task.txt", "-i", "a=b"], "the input is given twice: as a task and by -i"],
    [["--input", "list.json", "-i", "a=b"], "-i sets keys of the input, and list.json holds no"],
    [["--input", "broken.json"], "broken.json is no JSON"],
    [["-i", "novalue"], '-i takes key=value, got "novalue"'],
  ])("is refused when it contradicts itself: %j [CLI-1]", async (args, problem) => {
    const cwd = createProject(FILES);
    const called = await call(cwd, ["run", "echo.yaml", ...args]);
    expect(called.exitCode).toBe(2);
    expect(problemOf(called)).toContain("error[USAGE_INVALID]");
    expect(called.err).toContain(problem);
  });

  test.each([
    ["echo.yaml", 'workflow "echo" needs an input: step "echo" uses input'],
    ["prompted.yaml", 'workflow "prompted" needs an input: step "plan" uses input'],
    ["whole.yaml", 'workflow "whole" needs an input: step "plan" has no prompt of its own'],
  ])(
    "is asked for before anything starts when something uses it: %s [STP-5, CLI-1]",
    async (file, problem) => {
      const cwd = createProject(FILES);
      const called = await call(cwd, ["run", file, "--backend", "script"]);
      expect(called.exitCode).toBe(2);
      expect(problemOf(called)).toContain("WORKFLOW_TASK_MISSING");
      expect(called.err).toContain(problem);
      expect(JSON.parse((await call(cwd, ["runs", "--json"])).out).runs).toEqual([]);
    },
  );

  test("is not needed where nothing uses it, and one that nothing uses is said [STP-5, CLI-1]", async () => {
    const cwd = createProject(FILES);
    expect(await call(cwd, ["run", "fixed.yaml", "--quiet"])).toMatchObject({
      exitCode: 0,
      out: "1\n",
      err: "",
    });
    const unused = await call(cwd, ["run", "fixed.yaml", "x", "--quiet"]);
    expect(unused.exitCode).toBe(0);
    expect(unused.err).toContain("WORKFLOW_TASK_UNUSED");
    expect(unused.err).toContain('workflow "fixed" does nothing with its input');
  });
});

test("--quiet says on standard error why a run did not complete, and prints nothing else that is no output [CLI-1, ENG-11]", async () => {
  const cwd = createProject({
    "bad.yaml": "id: bad\nsteps: [{ id: a, type: transform, transform: context.a.nothing }]\n",
    "round.yaml":
      "id: round\nmax_iterations: 3\nsteps:\n  - { id: a, type: transform, transform: '1', next: a }\n",
  });
  const failed = await call(cwd, ["run", "bad.yaml", "--quiet"]);
  expect(failed.exitCode).toBe(1);
  expect(failed.err).toMatch(/^run_\w+ ended as failed: step "a" failed: "context\.a\.nothing"/m);
  const round = await call(cwd, ["run", "round.yaml", "--quiet"]);
  expect([round.exitCode, round.out]).toEqual([5, "1\n"]);
  expect(round.err).toMatch(/^run_\w+ ended as limit-reached: max_iterations: 3 steps have run/m);
});
