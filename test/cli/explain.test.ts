import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workflowSchema } from "../../src/app/setup/schemas/schema-files.ts";
import { fileKeys, findKeys, keyExamples } from "../../src/app/setup/schemas/workflow-keys.ts";
import { call, createProject } from "./fake-io.ts";

const keys = fileKeys(workflowSchema());

test("a key is explained with place, meaning, type, default and example [CLI-1]", async () => {
  const { exitCode, out } = await call(process.cwd(), ["explain", "steps.timeout"]);
  expect(exitCode).toBe(0);
  expect(out).toBe(
    "steps.timeout\n  How long one attempt may take.\n  type      duration\n  example   timeout: 30s\n",
  );
  const params = await call(process.cwd(), ["explain", "params.target.type"]);
  expect(params.out).toContain("  required  yes\n");
  const json: unknown = JSON.parse(
    (await call(process.cwd(), ["explain", "maxAttempts", "--json"])).out,
  );
  expect(json).toMatchObject({
    v: 1,
    keys: [
      { path: "steps.maxAttempts", default: "1" },
      { path: "verifier.maxAttempts", default: "3" },
    ],
  });
});

test.each([
  ["maxRetries", ["steps.maxRetries", "errorHandling.maxRetries"]],
  ["steps.maxRetries", ["steps.maxRetries"]],
  ["steps[].maxRetries", ["steps.maxRetries"]],
  ["steps.plan.maxRetries", ["steps.maxRetries"]],
  ["agents.lead.cwd", ["agents.cwd", "agents.NAME.cwd"]],
  ["params.target.default", ["params.NAME.default"]],
  ["name", ["name", "agents.name", "team.name", "steps.team.name"]],
  ["steps.plan", []],
  ["steps.plan.nothing", []],
  ["__proto__", []],
])("%j means %j [CLI-1]", (given, paths) => {
  expect(findKeys(given, keys).map(({ path }) => path)).toEqual(paths);
});

test.each([
  ["timout", "USAGE_KEY_UNKNOWN", 'did you mean "timeout"?'],
  ["max_retriez", "USAGE_KEY_UNKNOWN", 'did you mean "max_retries"?'],
  ["steps.timout", "USAGE_KEY_UNKNOWN", 'did you mean "steps.timeout"?'],
  ["workflow_cicle", "USAGE_CODE_UNKNOWN", 'did you mean "WORKFLOW_CYCLE"?'],
  ["NO_SUCH_THING_AT_ALL", "USAGE_CODE_UNKNOWN", "error[CODE]"],
  ["\u001b[31mred", "USAGE_KEY_UNKNOWN", "troupe schema"],
])("%j is neither, and the nearest name is told [CLI-1, T12]", async (given, code, hint) => {
  const { exitCode, err } = await call(process.cwd(), ["explain", given]);
  expect(exitCode).toBe(2);
  expect(err).toContain(`error[${code}]`);
  expect(err).toContain(hint);
  expect(err).not.toContain("\u001b");
});

test("every example belongs to a key, and every key but plain texts has one [CLI-1]", () => {
  const paths = new Set(keys.map(({ path }) => path));
  const loose = [...keyExamples.keys()].filter((path) => !paths.has(path));
  expect(loose.filter((path) => path !== "template" && path !== "overrides")).toEqual([]);
});

test("schema prints the schema of a kind of file, workflow if none is named [CLI-1]", async () => {
  const cwd = createProject();
  const workflow: unknown = JSON.parse((await call(cwd, ["schema"])).out);
  expect(workflow).toHaveProperty("then.properties.steps");
  expect(workflow).toHaveProperty("else.then.properties.steps");
  expect(workflow).toHaveProperty("else.else.properties.kickoff");
  const cassette: unknown = JSON.parse((await call(cwd, ["schema", "cassette"])).out);
  expect(cassette).toMatchObject({ title: expect.stringContaining("Script") });
  const unknown = await call(cwd, ["schema", "workflw"]);
  expect(unknown.exitCode).toBe(2);
  expect(unknown.err).toContain('did you mean "workflow"?');
  expect((await call(cwd, ["schema", "workflow", "--write"])).exitCode).toBe(2);
});

test("schema --write writes all of them into the project, over older ones [CLI-1]", async () => {
  const cwd = createProject();
  mkdirSync(join(cwd, ".troupe/schema"));
  writeFileSync(join(cwd, ".troupe/schema/workflow.json"), "old");
  const { exitCode, out } = await call(cwd, ["schema", "--write"]);
  expect(exitCode).toBe(0);
  expect(out).toContain("wrote .troupe/schema/workflow.json\n");
  const printed = await call(cwd, ["schema", "workflow"]);
  expect(readFileSync(join(cwd, ".troupe/schema/workflow.json"), "utf8")).toBe(printed.out);
});

test("schema --write follows no link out of the project [CLI-1, T8]", async () => {
  const [cwd, elsewhere] = [createProject(), createProject()];
  symlinkSync(elsewhere, join(cwd, ".troupe/schema"));
  const { exitCode, err } = await call(cwd, ["schema", "--write"]);
  expect(exitCode).toBe(2);
  expect(err).toContain("error[FILE_LEADS_OUT]");
  expect(existsSync(join(elsewhere, "workflow.json"))).toBe(false);
});
