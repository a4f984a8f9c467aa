import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { templateNames } from "../../src/app/workflow/templates.ts";
import { call, createProject } from "./fake-io.ts";

const OFFLINE = ["--backend", "script", "--progress", "none"];

test.each(templateNames)(
  "%s is valid and runs offline from its start to its end [WF-6.overrides]",
  async (name) => {
    const cwd = createProject();
    expect(await call(cwd, ["validate", name])).toMatchObject({ exitCode: 0, err: "" });
    const run = await call(cwd, ["run", name, "make it better", "--backend", "script", "--json"]);
    expect(run).toMatchObject({ exitCode: 0, err: "" });
    const events = run.out
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(events[0]).toMatchObject({ type: "run-created", workflow: name, file: name });
    expect(events.at(-1)).toMatchObject({ type: "run-ended", outcome: "completed" });
  },
);

test("-i count says how many agents a template gets [WF-6.overrides, WF-16]", async () => {
  const cwd = createProject({ "three.yaml": "name: three\ntemplate: brainstorm\n" });
  const two = await call(cwd, ["run", "code-review", "x", "-i", "count=2", ...OFFLINE]);
  expect(two.exitCode).toBe(0);
  expect(two.out).toContain("done in");
  expect(two.out).toMatch(/· 2 agents ·/);
  const file = await call(cwd, ["run", "three.yaml", "x", "-i", "count=4", ...OFFLINE]);
  expect(file.out).toMatch(/· 4 agents ·/);
  const none = await call(cwd, ["run", "code-review", "x", "-i", "count=0", ...OFFLINE]);
  expect(none.exitCode).toBe(2);
  expect(none.err).toContain("error[WORKFLOW_TEMPLATE_COUNT]");
  const fixed = await call(cwd, ["run", "refactor", "x", "-i", "count=2", ...OFFLINE]);
  expect(fixed.err).toContain("error[WORKFLOW_PARAM_UNKNOWN]");
});

test("a template needs a task like any workflow [WF-6.overrides, WF-8]", async () => {
  const { exitCode, err } = await call(createProject(), ["run", "bug-fix", ...OFFLINE]);
  expect(exitCode).toBe(2);
  expect(err).toContain("error[WORKFLOW_TASK_MISSING]");
});

test("a file takes the place of a template only if its path is written, and that is told [WF-6.overrides]", async () => {
  const cwd = createProject({ "refactor.yaml": "name: own\ntemplate: bug-fix\n" });
  const template = await call(cwd, ["run", "refactor", "x", ...OFFLINE]);
  expect(template.err).toContain("warning[USAGE_TEMPLATE_CHOSEN]");
  expect(template.err).toContain("./refactor.yaml");
  expect(template.out).toContain("analyze");
  const file = await call(cwd, ["run", "refactor.yaml", "x", ...OFFLINE]);
  expect(file).toMatchObject({ exitCode: 0, err: "" });
  expect(file.out).toContain("investigate");
});

test("a misspelt template is no file, and the nearest name is told [WF-6.overrides]", async () => {
  const cwd = createProject();
  const { exitCode, err } = await call(cwd, ["run", "code-reveiw", "x"]);
  expect(exitCode).toBe(2);
  expect(err).toContain("error[FILE_NOT_FOUND]");
  expect(err).toContain('did you mean "code-review"?');
});

test("templates are listed with their agents, steps and params [WF-6.overrides, CLI-1]", async () => {
  const { exitCode, out } = await call(createProject(), ["templates"]);
  expect(exitCode).toBe(0);
  for (const name of templateNames) expect(out).toContain(`${name}\n`);
  expect(out).toContain("  agents  lead, developer, reviewer\n");
  expect(out).toContain("  params  count: reviewers, 1 to 9, 3 if not given\n");
  const json: unknown = JSON.parse((await call(createProject(), ["templates", "--json"])).out);
  expect(json).toMatchObject({
    v: 1,
    templates: [
      {
        name: "feature-dev",
        pattern: "hub-spoke",
        agents: ["lead", "developer", "reviewer"],
        count: null,
      },
      { name: "bug-fix" },
      { name: "code-review", count: { of: "reviewers", default: 3, most: 9 } },
      ...templateNames.slice(3).map((name) => ({ name })),
    ],
  });
});

test("what templates show prints is a workflow file that runs [WF-6.overrides, CLI-1]", async () => {
  const cwd = createProject();
  for (const name of templateNames) {
    const { exitCode, out } = await call(cwd, ["templates", "show", name]);
    expect(exitCode).toBe(0);
    writeFileSync(join(cwd, "mine.yaml"), out);
    expect((await call(cwd, ["validate", "mine.yaml", "-C", cwd])).exitCode).toBe(0);
  }
  const five = await call(cwd, ["templates", "show", "brainstorm", "--count", "5"]);
  expect(five.out).toContain("id: peer-5,");
  const json: unknown = JSON.parse(
    (await call(cwd, ["templates", "show", "refactor", "--json"])).out,
  );
  expect(json).toMatchObject({
    v: 1,
    name: "refactor",
    text: expect.stringContaining("name: refactor"),
  });
});

test.each([
  [["templates", "show"], "USAGE_INVALID"],
  [["templates", "print", "refactor"], "USAGE_INVALID"],
  [["templates", "--count", "3"], "USAGE_INVALID"],
  [["templates", "show", "../refactor"], "WORKFLOW_UNKNOWN_TEMPLATE"],
  [["templates", "show", "refactor", "--count", "3"], "WORKFLOW_TEMPLATE_COUNT"],
  [["templates", "show", "brainstorm", "--count", "99"], "WORKFLOW_TEMPLATE_COUNT"],
])("%j is refused with %s and exit code 2 [CLI-1]", async (args, code) => {
  const { exitCode, out, err } = await call(createProject(), args);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(err).toContain(`error[${code}]`);
});
