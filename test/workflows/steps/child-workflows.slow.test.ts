import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { defineError } from "../../../src/foundation/errors.ts";
import { loadWorkflowFile } from "../../../src/workflows/load-workflow.ts";
import type { LoadedWorkflow, ReadOptions } from "../../../src/workflows/parse-workflow.ts";
import { readOptions } from "../load-options.ts";

let root = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "troupe-children-"));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

/** Writes files of a project and loads the first one. */
function load(
  files: { readonly [path: string]: string },
  options: Partial<ReadOptions> = {},
): Promise<LoadedWorkflow> {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const [first = ""] = Object.keys(files);
  const own = { projectRoot: root, backendOverride: "script" };
  return loadWorkflowFile(join(root, first), { ...readOptions, ...own, ...options });
}

const running = (id: string, file: string) =>
  `id: ${id}\nsteps: [{ id: a, type: workflow, file: ${file} }]\n`;
const CHILD = "id: child\nsteps: [{ id: a, type: agent, agent: worker }]\n";

test("a step runs a workflow of any shape, whose path is relative to the file that names it [WF-2.load, STP-1]", async () => {
  const { definition, problems } = await load({
    "flows/main.yaml":
      "id: main\nsteps:\n  - { id: a, type: workflow, file: parts/child.yaml, next: b }\n  - { id: b, type: workflow, file: ../kick.yaml, next: c }\n  - { id: c, type: workflow, file: ../dag.yaml }\n",
    "flows/parts/child.yaml": running("middle", "deeper/child.json"),
    "flows/parts/deeper/child.json":
      '{ "id": "child", "steps": [{ "id": "a", "type": "agent", "agent": "worker" }] }',
    "kick.yaml": 'agents: { lead: {} }\nkickoff: "@lead go"\n',
    "dag.yaml": "name: graph\npattern: dag\nagents: [{ id: one }]\n",
  });
  expect(problems).toEqual([]);
  expect(definition).toMatchObject({
    shape: "steps",
    workflows: {
      "parts/child.yaml": {
        shape: "steps",
        name: "middle",
        workflows: { "deeper/child.json": { name: "child", agents: [{ id: "worker" }] } },
      },
      "../kick.yaml": { shape: "kickoff", name: "kick" },
      "../dag.yaml": { shape: "pattern", name: "graph" },
    },
  });
});

test("a workflow is found by its id, asked for by the name of the one that runs it [STP-11, STP-12]", async () => {
  const asked: string[] = [];
  const denied = defineError("TEST_DENIED", { message: () => "not for you", about: "For tests." });
  const files = {
    "main.yaml":
      'id: main\nsteps:\n  - { id: a, type: agent, agent: "workflow:build", next: b }\n  - { id: b, type: workflow, workflow: build }\n',
    "own/build.yaml": CHILD,
  };
  const find = (id: string, askedBy: string) => {
    asked.push(`${id} by ${askedBy}`);
    return id === "build" ? { file: join(root, "own/build.yaml") } : undefined;
  };
  const registry = { find, ids: () => ["build"] };
  const { definition } = await load(files, { workflowRegistry: registry });
  expect(definition).toMatchObject({ agents: [], workflows: { build: { name: "child" } } });
  expect(asked).toEqual(["build by main"]);
  const refused = await load(files, {
    workflowRegistry: {
      ...registry,
      find: () => {
        throw denied({});
      },
    },
  });
  expect(refused.problems).toMatchObject([{ code: "TEST_DENIED", line: 3, column: 34 }]);
  const misspelt = await load(
    { "main.yaml": "id: main\nsteps: [{ id: a, type: workflow, workflow: biuld }]\n" },
    { workflowRegistry: registry },
  );
  expect(misspelt.problems).toMatchObject([
    { code: "WORKFLOW_UNKNOWN_WORKFLOW", hint: 'did you mean "build"?  known: build' },
  ]);
});

test("a workflow that contains itself is refused with the whole way around [WF-2.load]", async () => {
  const { problems } = await load({
    "main.yaml": running("main", "second.yaml"),
    "second.yaml": running("second", "./sub/../third.yaml"),
    "third.yaml": running("third", "main.yaml"),
  });
  expect(problems).toMatchObject([
    {
      code: "WORKFLOW_CHILD_INVALID",
      line: 2,
      column: 40,
      message: expect.stringContaining(
        "third.yaml:2:40 WORKFLOW_CYCLE: a workflow runs itself: main → second → third → main",
      ),
    },
  ]);
  const itself = await load({ "main.yaml": running("main", "main.yaml") });
  expect(itself.problems).toMatchObject([{ code: "WORKFLOW_CYCLE", line: 2, column: 40 }]);
});

test("the problems of a workflow are told where it is named, the first three of them [WF-1, WF-2.load]", async () => {
  const { problems } = await load({
    "main.yaml": running("main", "child.yaml"),
    "child.yaml":
      "id: child\nsteps:\n  - { id: a, type: agnet }\n  - { id: a, type: agnet }\n  - { id: a, type: agnet }\n",
  });
  expect(problems).toHaveLength(1);
  expect(problems[0]?.message).toMatch(
    /^the workflow "child.yaml" cannot be run: child.yaml:3:20 WORKFLOW_UNKNOWN_STEP_TYPE: .*; child.yaml:4:11 .*; .* \(and 2 more\)$/,
  );
});

test("a workflow that leads out of the project through a link, and one that is no file, are refused [WF-2.load, WF-3]", async () => {
  symlinkSync(tmpdir(), join(root, "out"));
  const link = await load({ "main.yaml": running("main", "out/child.yaml") });
  expect(link.problems).toMatchObject([{ code: "WORKFLOW_PATH_OUTSIDE" }]);
  mkdirSync(join(root, "folder.yaml"));
  const folder = await load({ "main.yaml": running("main", "folder.yaml") });
  expect(folder.problems).toMatchObject([
    { code: "WORKFLOW_CHILD_INVALID", message: expect.stringContaining("not a regular file") },
  ]);
});

test("workflows that hold each other too often are refused before they fill the memory [WF-3]", async () => {
  const twice = (id: string, file: string) =>
    `id: ${id}\nsteps:\n  - { id: a, type: workflow, file: ${file}, next: b }\n  - { id: b, type: workflow, file: ./${file} }\n`;
  const files = Object.fromEntries(
    Array.from({ length: 8 }, (_, level) => [
      `l${level}.yaml`,
      twice(`l${level}`, `l${level + 1}.yaml`),
    ]),
  );
  const { problems } = await load({ ...files, "l8.yaml": CHILD });
  expect(problems[0]?.message).toContain("it is too much");
});
