import { join } from "node:path";
import { expect, test } from "vitest";
import { createFork } from "../../../../src/app/again/fork/fork-run.ts";
import { createRerun } from "../../../../src/app/again/rerun/rerun-run.ts";
import { createMachineAt, type Machine } from "../../../../src/app/machine/machine.ts";
import { inspectRun } from "../../../../src/app/runs/run-lookup.ts";
import { readRecipe } from "../../../../src/app/workflow/shapes/run-recipe.ts";
import {
  collab,
  fanOut,
  iterate,
  loadWorkflow,
  pipeline,
  runWorkflow,
  team,
} from "../../../../src/index.ts";
import { call, createProject } from "../../../cli/fake-io.ts";
import { recordedIn, writeRuns } from "../../../recorded/recorded-run.ts";
import { createFileMachine } from "../../file-machine.ts";

const SH = 'backend: command, command: ["sh", "-c", "echo DONE"]';
const FILES = {
  "pattern.yaml": `name: p\npattern: dag\nagents: [{ id: a, ${SH} }]\nsteps: [{ id: s, agent: a }]\n`,
  "steps.yaml": `id: s\nagents: { a: { backend: command, command: "echo DONE" } }\nsteps: [{ id: one, type: shell, command: "true" }]\n`,
  "parent.yaml": `id: parent
agents: { a: { backend: command, command: "echo DONE" } }
steps:
  - { id: c, type: workflow, file: steps.yaml, next: p }
  - { id: p, type: pattern, pattern: fan-out, task: x, steps: [{ id: in, agent: a, prompt: x }] }
`,
  "kickoff.yaml": `agents: { a: { ${SH} } }\nsetup: [{ shell: "echo x", as: x }]\nkickoff: "@a begin"\n`,
};

interface Place {
  readonly cwd: string;
}

/** Formats of all definitions that the runs of a project hold, theirs and those of the workflows inside. */
async function formatsIn(cwd: string): Promise<readonly number[]> {
  const machine = createMachineAt({ cwd });
  const formats = machine.store.list().map((run) => formatsOf(machine, run));
  return (await Promise.all(formats)).flat();
}

async function formatsOf(machine: Machine, run: string): Promise<readonly number[]> {
  const journal = machine.store.open(run, "read");
  try {
    const { definitionHash } = inspectRun(machine, run).run;
    const { definition } = await readRecipe(run, journal.blob(definitionHash));
    const children = "workflows" in definition ? Object.values(definition.workflows) : [];
    return [definition, ...children].map(({ format }) => format);
  } finally {
    journal.close();
  }
}

const AGENT = ["--agent", "command", "--", "sh", "-c", "echo DONE"];

test.each([
  [["run", "pattern.yaml", "x"]],
  [["run", "steps.yaml", "x"]],
  [["run", "parent.yaml", "x"]],
  [["run", "kickoff.yaml", "x"]],
  [["run", "x", ...AGENT]],
  [["iter", "1", "x", ...AGENT]],
  [["collab", "x", ...AGENT]],
  [["team", "x", ...AGENT]],
])("the runs of %j have format 2 [REP-1.stamp]", async (args) => {
  const cwd = createProject(FILES);
  await call(cwd, args);
  const formats = await formatsIn(cwd);
  expect(formats.length).toBeGreaterThan(0);
  expect(new Set(formats)).toEqual(new Set([2]));
});

const run = () => "DONE: done";
const plain = { task: "x", run };

test.each([
  ["fanOut", (place: Place) => fanOut([plain, plain], place)],
  ["pipeline", (place: Place) => pipeline([plain, plain], place)],
  ["iterate", (place: Place) => iterate({ ...place, agent: plain, count: 1 })],
  ["collab", (place: Place) => collab({ ...place, agent: plain, roles: ["worker"] })],
  ["team", (place: Place) => team({ ...place, goal: "x", leader: { run }, workers: [{ run }] })],
  [
    "runWorkflow",
    async (place: Place) =>
      runWorkflow(
        await loadWorkflow(join(place.cwd, "pattern.yaml"), { shape: "pattern" }),
        "x",
        place,
      ),
  ],
])("a run of the library's %s has format 2 [REP-1.stamp]", async (_name, start) => {
  const cwd = createProject(FILES);
  await (await start({ cwd })).result;
  const formats = await formatsIn(cwd);
  expect(formats.length).toBeGreaterThan(0);
  expect(new Set(formats)).toEqual(new Set([2]));
});

test.each(["dag", "steps", "kickoff", "family"])(
  "a fork and a repetition of the recorded run %s of format 1 keep it [REP-6.fork]",
  async (name) => {
    const machine = createFileMachine();
    const [top, ...below] = recordedIn(machine.root, `${name}.whole`);
    if (top === undefined) throw new Error("the recording is empty");
    await writeRuns(machine, [top, ...below]);
    const fork = await createFork(machine, top.run, { at: "3" });
    const rerun = await createRerun(machine, top.run, { kind: "failed" });
    for (const made of [fork.run, rerun.run])
      expect(new Set(await formatsOf(machine, made))).toEqual(new Set([1]));
  },
);
