import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createMachineAt } from "../../src/app/machine/machine.ts";
import { expectTrajectory } from "../../src/app/trail/due-trajectory.ts";
import { call, createProject } from "./fake-io.ts";
import { onlyTrajectory, projectWithTrail, toldWorkflow, USUAL } from "./trail-project.ts";

const RUN = ["run", "told.yaml", "a bridge"];

function runIn(cwd: string): string {
  const [run = ""] = readdirSync(join(cwd, ".troupe/runs")).filter((name) =>
    name.startsWith("run_"),
  );
  return run;
}

test("a run whose workflow says so leaves a trajectory and its summary when it ends, in the month of its end [TRJ-1.files, TRJ-2, WF-10.trajectory]", async () => {
  const cwd = projectWithTrail();
  expect(await call(cwd, RUN)).toMatchObject({ exitCode: 0, err: "" });
  const { path, trajectory } = onlyTrajectory(join(cwd, USUAL));
  const { id, completedAt = "" } = trajectory;
  expect(path).toBe(join("completed", completedAt.slice(0, 7), id, "trajectory.json"));
  expect(trajectory).toMatchObject({
    status: "completed",
    task: { title: "a bridge" },
    retrospective: { summary: "built", confidence: 0.8 },
    workflowId: runIn(cwd),
  });
  const directory = join(cwd, USUAL, "completed", completedAt.slice(0, 7), id);
  expect(readdirSync(directory).toSorted()).toEqual(["summary.md", "trajectory.json"]);
  expect(readFileSync(join(directory, "summary.md"), "utf8")).toMatch(/^# Trajectory: a bridge\n/);
  expect(readdirSync(join(cwd, ".troupe/runs", runIn(cwd)))).not.toContain("trajectory-due");
});

test.each(["{ enabled: false }", "null"])(
  "a run whose workflow says trajectory: %s leaves none [TRJ-5, WF-10.trajectory]",
  async (says) => {
    const cwd = projectWithTrail(says);
    await call(cwd, says === "null" ? ["validate", "told.yaml"] : RUN);
    expect(existsSync(join(cwd, ".agentworkforce"))).toBe(false);
  },
);

test("a file that was not written because the process died is written, the same to the byte, by the next look and by resume [TRJ-1.files]", async () => {
  const cwd = projectWithTrail();
  await call(cwd, RUN);
  const run = runIn(cwd);
  const { path } = onlyTrajectory(join(cwd, USUAL));
  const text = readFileSync(join(cwd, USUAL, path), "utf8");
  for (const look of [
    ["trail", "list"],
    ["resume", run],
  ]) {
    // What is left of a process that was killed before the file, or between the two files.
    rmSync(join(cwd, USUAL, path));
    expectTrajectory(createMachineAt({ cwd }), run);
    expect(await call(cwd, look)).toMatchObject({ exitCode: 0, err: "" });
    expect(readFileSync(join(cwd, USUAL, path), "utf8")).toBe(text);
    expect(existsSync(join(cwd, ".troupe/runs", run, "trajectory-due"))).toBe(false);
  }
});

test("what stands in the way of the file is told by the run and by every look, until it is gone [TRJ-1.files]", async () => {
  const cwd = projectWithTrail();
  writeFileSync(join(cwd, ".agentworkforce"), "a file");
  const ran = await call(cwd, RUN);
  expect(ran).toMatchObject({
    exitCode: 0,
    err: expect.stringContaining("warning[TRAIL_UNWRITABLE]"),
  });
  expect((await call(cwd, ["trail"])).err).toContain("warning[TRAIL_UNWRITABLE]");
  rmSync(join(cwd, ".agentworkforce"));
  expect(await call(cwd, ["trail"])).toMatchObject({
    err: "",
    out: expect.stringContaining("a bridge"),
  });
});

test("a run that goes on after its end has one trajectory, that of its last end [TRJ-2]", async () => {
  const cwd = projectWithTrail(undefined, {});
  const limited = await call(cwd, [...RUN, "--max-turns", "1"]);
  expect(limited.exitCode).toBe(5);
  const first = onlyTrajectory(join(cwd, USUAL));
  expect(first.trajectory.status).toBe("abandoned");
  const [month = ""] = readdirSync(join(cwd, USUAL, "completed"));
  renameSync(join(cwd, USUAL, "completed", month), join(cwd, USUAL, "completed", "2001-01"));
  expect(await call(cwd, ["resume", runIn(cwd), "--max-turns", "9"])).toMatchObject({
    exitCode: 0,
  });
  const last = onlyTrajectory(join(cwd, USUAL));
  expect(last.trajectory).toMatchObject({ id: first.trajectory.id, status: "completed" });
  expect(last.path.split("/")[1]).toBe(month);
});

test("dataDir is the directory itself, and TRAJECTORIES_DATA_DIR where no file names one [TRJ-5]", async () => {
  const cwd = projectWithTrail("{ dataDir: notes/trails, agentName: conductor }");
  await call(cwd, RUN, { env: { TRAJECTORIES_DATA_DIR: "elsewhere" } });
  expect(onlyTrajectory(join(cwd, "notes/trails")).trajectory.agents[0]?.name).toBe("conductor");
  const other = projectWithTrail();
  const outside = createProject({});
  await call(other, RUN, { env: { TRAJECTORIES_DATA_DIR: outside } });
  expect(onlyTrajectory(outside).trajectory.status).toBe("completed");
  expect(existsSync(join(other, ".agentworkforce"))).toBe(false);
});

test.each([
  ["../up", "WORKFLOW_PATH_OUTSIDE", "6:24"],
  ["/tmp/trails", "WORKFLOW_PATH_OUTSIDE", "6:24"],
  ["away/trails", "WORKFLOW_PATH_OUTSIDE", "6:24"],
  [".git/hooks", "WORKFLOW_VALUE", "6:24"],
])("dataDir: %s is refused with its place, before anything runs [TRJ-5]", async (dataDir, code) => {
  const cwd = projectWithTrail(`{ dataDir: "${dataDir}" }`);
  symlinkSync(createProject({}), join(cwd, "away"));
  const { exitCode, err } = await call(cwd, RUN);
  expect({ exitCode, isRefused: err.includes(`error[${code}]`) }).toEqual({
    exitCode: 2,
    isRefused: true,
  });
  expect(err).toContain("told.yaml:10:24");
  expect(existsSync(join(cwd, ".troupe/runs"))).toBe(false);
});

test("a directory that leads out of the project by the end of the run is not written to [TRJ-5]", async () => {
  const outside = createProject({});
  const cwd = createProject({
    "told.yaml": toldWorkflow("{ enabled: true }").replace(
      `script: [{ say: "DONE: [confidence=0.9] built" }]`,
      `script: [{ say: "DONE: built" }]`,
    ),
    // The story that is being written makes the directory again, in which the link would then lie.
    "trap.sh": `until rm -rf .agentworkforce; ln -s ${outside} .agentworkforce; [ -L .agentworkforce ]; do :; done`,
    "trap.yaml": `version: "1.0"
name: trap
pattern: pipeline
agents: [{ id: a, backend: command, command: ["sh", "trap.sh"] }]
steps: [{ id: s, agent: a }]
trajectory: {}
`,
  });
  const { exitCode, err } = await call(cwd, ["run", "trap.yaml"]);
  expect({ exitCode, isTold: err.includes("warning[TRAIL_DIRECTORY_OUTSIDE]") }).toEqual({
    exitCode: 0,
    isTold: true,
  });
  expect(readdirSync(outside)).toEqual([".troupe"]);
});

test("known secrets never reach a trajectory [T11, TRJ-2]", async () => {
  const cwd = projectWithTrail();
  const env = { SHOP_TOKEN: "wonderful plan" };
  await call(cwd, RUN);
  await call(cwd, ["trail", "show", "@last"], { env });
  const { path } = onlyTrajectory(join(cwd, USUAL));
  expect(readFileSync(join(cwd, USUAL, path), "utf8")).toContain("wonderful plan");
  rmSync(join(cwd, USUAL), { recursive: true });
  expectTrajectory(createMachineAt({ cwd }), runIn(cwd));
  const { out } = await call(cwd, ["trail", "show", "@last"], { env });
  const written = onlyTrajectory(join(cwd, USUAL)).path;
  for (const text of [out, readFileSync(join(cwd, USUAL, written), "utf8")])
    expect({ isMasked: text.includes("***"), isKept: text.includes("wonderful plan") }).toEqual({
      isMasked: true,
      isKept: false,
    });
});

test("step and kickoff workflows leave trajectories too [TRJ-5, WF-10.trajectory]", async () => {
  const cwd = createProject({
    "steps.yaml": `id: stepped
steps: [{ id: look, type: shell, command: "echo seen" }]
trajectory: { agent_name: conductor, data_dir: one }
`,
    "kick.yaml": `agents: { a: { backend: script, script: [{ say: hello }] } }
kickoff: "@a begin"
options: { quiet: 10ms }
trajectory: { dataDir: two }
`,
  });
  await call(cwd, ["run", "steps.yaml"]);
  await call(cwd, ["run", "kick.yaml"]);
  expect(onlyTrajectory(join(cwd, "one")).trajectory).toMatchObject({
    status: "completed",
    agents: [{ name: "conductor" }],
  });
  expect(onlyTrajectory(join(cwd, "two")).trajectory.chapters.map(({ title }) => title)).toEqual([
    "The run",
    "What a does",
  ]);
});
