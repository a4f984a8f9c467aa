import { expect, test } from "vitest";
import { configOf } from "../../../../src/app/machine/effective/effective-config.ts";
import type { Machine } from "../../../../src/app/machine/machine.ts";
import { loadFile } from "../../../../src/app/workflow/load-file.ts";
import {
  createWorkflowRegistry,
  type ProjectWorkflows,
} from "../../../../src/app/workflow/registry/workflow-registry.ts";
import { call } from "../../../cli/fake-io.ts";
import { type ConfigProject, createConfigProject } from "../../machine/config/config-project.ts";

const steps = (id: string) =>
  `id: ${id}\ndescription: for ${id}\nsteps:\n  - { id: a, type: transform, transform: "1" }\n`;

function project(config = ""): ConfigProject {
  const made = createConfigProject({ project: config });
  made.write("project/.troupe/workflows/plan.yaml", steps("plan"));
  made.write("project/.troupe/workflows/other-name.json", '{"name": "build", "pattern": "dag"}');
  made.write("project/.troupe/workflows/notes.md", "id: notes");
  return made;
}

async function registryOf(machine: Machine): Promise<ProjectWorkflows> {
  return createWorkflowRegistry(machine, await configOf(machine));
}

const trusted = { trustsProject: true };
const code = (wanted: string) => expect.objectContaining({ code: wanted });

test("workflows are found by their id, else their name, else their file's name [STP-11]", async () => {
  const made = project();
  made.write("project/.troupe/workflows/broken.yaml", "steps: [");
  const registry = await registryOf(made.machine(trusted));
  expect(registry.ids()).toEqual(["broken", "build", "plan"]);
  expect(registry.find("plan", "feature")).toEqual({
    file: `${made.root}/.troupe/workflows/plan.yaml`,
  });
  expect(registry.find("nobody", "feature")).toBeUndefined();
});

test("what nobody trusts is not used, but named to whoever looks for it [STP-11, SEC-1]", async () => {
  const registry = await registryOf(project().machine());
  expect(registry.ids()).toEqual(["build", "plan"]);
  expect(registry.list().map(({ id, isTrusted }) => [id, isTrusted])).toEqual([
    ["build", false],
    ["plan", false],
  ]);
  expect(() => registry.find("plan")).toThrowError(code("WORKFLOW_NOT_TRUSTED"));
});

test("visibleTo names who may use a workflow; people always may [STP-11]", async () => {
  const made = project("workflows: { visibleTo: { plan: [feature] } }\n");
  const registry = await registryOf(made.machine(trusted));
  expect(registry.find("plan", "feature")).toBeDefined();
  expect(registry.find("plan")).toBeDefined();
  expect(registry.find("build", "anybody")).toBeDefined();
  expect(() => registry.find("plan", "other")).toThrowError(code("WORKFLOW_NOT_VISIBLE"));
});

test("the registry can be off, a workflow disabled, and the directory another one [STP-11]", async () => {
  expect(
    (await registryOf(project("workflows: { enabled: false }\n").machine(trusted))).ids(),
  ).toEqual([]);
  const disabled = await registryOf(project("workflows: { disabled: [plan] }\n").machine(trusted));
  expect(disabled.ids()).toEqual(["build"]);
  expect(() => disabled.find("plan")).toThrowError(code("WORKFLOW_DISABLED"));
  const moved = project("workflows: { dir: ../flows }\n");
  moved.write("project/flows/mine.yaml", steps("mine"));
  expect((await registryOf(moved.machine(trusted))).ids()).toEqual(["mine"]);
  const outside = await registryOf(project("workflows: { dir: ../../flows }\n").machine(trusted));
  expect(() => outside.ids()).toThrowError(code("WORKFLOW_DIRECTORY_OUTSIDE"));
});

test("two files with one id are told by both names, and other workflows are found all the same [STP-11]", async () => {
  const made = project();
  made.write("project/.troupe/workflows/again.yaml", steps("plan"));
  const registry = await registryOf(made.machine(trusted));
  expect(() => registry.find("plan")).toThrowError(
    /\.troupe\/workflows\/again\.yaml, \.troupe\/workflows\/plan\.yaml/,
  );
  expect(registry.find("build")).toBeDefined();
});

test("a step runs a workflow of the directory as agent workflow:ID, unless it is not visible [STP-11, STP-12]", async () => {
  const made = project("workflows: { visibleTo: { plan: [feature] } }\n");
  const text = (id: string) =>
    `id: ${id}\nsteps:\n  - { id: a, type: agent, agent: "workflow:plan" }\n`;
  const load = (id: string) =>
    loadFile(made.machine(trusted), { file: `${id}.yaml`, text: text(id) });
  const { definition, problems } = await load("feature");
  expect(problems).toEqual([]);
  expect(definition).toMatchObject({ workflows: { plan: { name: "plan", shape: "steps" } } });
  expect((await load("other")).problems).toMatchObject([{ code: "WORKFLOW_NOT_VISIBLE" }]);
});

test("run takes the id of a trusted workflow, and templates lists them [STP-11, CLI-1]", async () => {
  const made = createConfigProject();
  made.write("project/.troupe/workflows/plan.yaml", steps("plan"));
  const troupe = (...args: readonly string[]) => call(made.root, args, { env: made.env });
  const refused = await troupe("run", "plan");
  expect(refused.exitCode).toBe(2);
  expect(refused.err).toContain("error[WORKFLOW_NOT_TRUSTED]");
  expect((await troupe("run", "plan", "--trust")).exitCode).toBe(0);
  expect((await troupe("trust", "--yes")).out).toContain(
    ".troupe/workflows/plan.yaml  not trusted",
  );
  expect((await troupe("run", "plan")).exitCode).toBe(0);
  expect((await troupe("templates")).out).toMatch(
    /plan {2}\.troupe\/workflows\/plan\.yaml {2}for plan/,
  );
  const { workflows } = JSON.parse((await troupe("templates", "--json")).out);
  expect(workflows).toEqual([
    { id: "plan", description: "for plan", file: ".troupe/workflows/plan.yaml", trusted: true },
  ]);
});
