import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { PatternDefinition } from "../../../src/contracts/definition.ts";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import { strideOf } from "../../cases.ts";
import { load } from "../../workflows/load-options.ts";

const NAMES: readonly string[] = [
  ...["task", "id", "params.p", "git.branch", "git.diff", "agents.a.name"],
  ...["output", "text", "status", "outcome", "durationMs", "attempts"].map(
    (member) => `steps.before.${member}`,
  ),
  "steps.many.results",
  // These have no value anywhere in a pattern workflow.
  ...["input", "git", "git.log", "agents.a", "agents.b.name", "params.q", "item", "unheard"],
  ...["steps", "steps.before", "steps.before.files", "steps.none.output", "context.before"],
  ...["errors.before.message", "matrix.v"],
];

interface Field {
  /** The step that has it, in the language of files; MARK stands for the name. */
  readonly step?: object;
  readonly agent?: object;
  /** What is in place of MARK in a file that is valid. */
  readonly isExpression?: true;
}

const FIELDS: readonly (readonly [string, Field])[] = [
  ["prompt", { step: { agent: "a", prompt: "{{MARK}}" } }],
  ["argv", { step: { command: ["test", "-n", "{{MARK}}"] } }],
  ["shell", { step: { command: 'test -n "{{MARK}}"' } }],
  ["env", { step: { command: ["sh", "-c", 'test -n "$V"'], env: { V: "{{MARK}}" } } }],
  ["verify", { step: { command: ["true"], verify: [{ command: ["test", "-n", "{{MARK}}"] }] } }],
  ["when", { step: { command: ["true"], when: "length(MARK) >= 0" }, isExpression: true }],
  ["agent env", { agent: { command: ["sh", "-c", 'test -n "$V"'], env: { V: "{{MARK}}" } } }],
  ["agent argv", { agent: { command: ["test", "-n", "{{MARK}}"] } }],
];

function fileFor({ step, agent }: Field, name: string): string {
  const asked = { agent: "a", prompt: "x", ...step };
  const { agent: _by, prompt: _prompt, ...command } = asked;
  const file = {
    name: "w",
    pattern: "dag",
    params: { p: { type: "string", default: "given" } },
    agents: [
      { id: "a", backend: "command", command: ["true"] },
      { id: "of-texts", backend: "command", command: ["true"], ...agent },
    ],
    steps: [
      { id: "before", agent: "a", prompt: "x" },
      { id: "many", agent: "a", prompt: "{{matrix.v}}", matrix: { v: ["x", "y"] } },
      {
        id: "asking",
        dependsOn: ["before", "many"],
        ...(step === undefined ? { agent: "of-texts", prompt: "x" } : {}),
        ...("command" in asked ? command : step),
      },
    ],
  };
  return JSON.stringify(file).replaceAll("MARK", name);
}

/** The definition with another name, as if no check had read it. */
function unchecked(field: Field, name: string): PatternDefinition {
  const { definition, problems } = load(fileFor(field, "MARKED").replaceAll("MARKED", "task"));
  if (definition === undefined) throw new Error(JSON.stringify(problems));
  const from = field.isExpression === true ? "length(task)" : "{{task}}";
  const text = JSON.stringify(definition).replaceAll(from, from.replace("task", name));
  return withFunction(JSON.parse(text));
}

/** What is not asked about costs no process. */
function withFunction(definition: PatternDefinition): PatternDefinition {
  const agents = definition.agents.map((agent) =>
    agent.id === "a" ? { id: "a", backend: "function" } : agent,
  );
  return { ...definition, agents };
}

const functions = { a: () => "DONE: said" };

const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync("git", ["-C", cwd, "-c", "user.name=t", "-c", "user.email=t@t", ...args]);

function changedRepository(): string {
  const cwd = mkdtempSync(join(tmpdir(), "names-"));
  git(cwd, "init", "--quiet", "--initial-branch=main");
  writeFileSync(join(cwd, "a"), "one\n");
  git(cwd, "add", ".");
  git(cwd, "commit", "--quiet", "-m", "one");
  writeFileSync(join(cwd, "a"), "two\n");
  return cwd;
}

const repository = changedRepository();
afterAll(() => rmSync(repository, { recursive: true }));

// Each name is tried in some of the fields a day, and in all of them in `npm run prove`.
const stride = strideOf(6);
const sampled = FIELDS.map(
  ([name, field], at) =>
    [name, field, NAMES.filter((_, index) => (index + at) % stride === 0)] as const,
);

describe.each(sampled)("in %s of a pattern workflow", (_field, field, names) => {
  test.each(names)(
    "%s is valid if and only if it has a value [LANG-1.pattern, LANG-10.start]",
    async (name) => {
      const { problems } = load(fileFor(field, name));
      const isNumber = /durationMs|attempts/.test(name);
      const own = unchecked(field, name);
      // A number has no length, but is there.
      const definition: PatternDefinition =
        isNumber && field.isExpression === true
          ? JSON.parse(JSON.stringify(own).replaceAll(`length(${name})`, name))
          : own;
      const { events } = await runWorkflowInMemory(definition, {
        ...{ cwd: repository, functions, task: "the task", params: { p: "given" } },
      });
      const failed = events.flatMap((event) => (event.type === "step-failed" ? [event.error] : []));
      const ended = events.flatMap((event) => (event.type === "run-ended" ? [event.outcome] : []));
      const isValid = problems.every(({ severity }) => severity !== "error");
      expect({ isValid, ended, failed: failed.length }).toEqual(
        isValid
          ? { isValid, ended: ["completed"], failed: 0 }
          : { isValid, ended: ["failed"], failed: expect.any(Number) },
      );
    },
  );
});

test.each([
  ['git.branch == "main"', true],
  ["exists(git.branch)", true],
  ['git.branch == "other"', false],
  ['id != ""', true],
  ['agents.a.name == "a"', true],
])("a step runs if `when: %s` holds [LANG-1.pattern]", async (when, runs) => {
  const { definition } = load(fileFor({ step: { command: ["true"], when } }, "task"));
  if (definition === undefined) throw new Error("the workflow is wrong");
  const statusIn = async (format: 1 | 2) => {
    const { state } = await runWorkflowInMemory(
      { ...withFunction(definition), format },
      { cwd: repository, functions, task: "x", params: { p: "given" } },
    );
    return state.steps.byPath.get("asking")?.status;
  };
  expect(await statusIn(2)).toBe(runs ? "completed" : "skipped");
  // What was recorded has been decided without these names.
  expect(await statusIn(1)).toBe(when.startsWith("exists") ? "skipped" : "failed");
});
