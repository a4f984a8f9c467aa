import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { validateTrajectory } from "agent-trajectories";
import { expect, onTestFinished, test } from "vitest";
import { createMachineAt } from "../../src/app/machine/machine.ts";
import { expectTrajectory } from "../../src/app/trail/due-trajectory.ts";
import { runCli } from "../../src/cli/run-cli.ts";
import { call, createFakeIo, createProject } from "./fake-io.ts";
import { agentTrail, onlyTrajectory, projectWithTrail, USUAL } from "./trail-project.ts";

const WAITING = `id: told
agents: [{ id: coder, backend: script, model: small, script: [{ do: [{ write: { path: src/a.txt, content: one } }], say: done }] }]
steps:
  - { id: code, type: agent, agent: coder, prompt: go, next: ask }
  - { id: ask, type: approval, message: "Go on?" }
trajectory: {}
`;

/** The paths of all files below the directory of trajectories. */
function filesIn(cwd: string): readonly string[] {
  const entries = readdirSync(join(cwd, USUAL), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(cwd, USUAL).length + 1))
    .toSorted();
}

function waitingProject(): string {
  return createProject({ "told.yaml": WAITING });
}

test("while a run goes on, its trajectory stands among the active ones, as agent-trajectories reads it [TRJ-1.active]", async () => {
  const cwd = createProject({
    "told.yaml": `version: "1.0"
name: told
pattern: pipeline
agents: [{ id: a, backend: script, script: [{ hang: true }] }]
steps: [{ id: s, agent: a }]
trajectory: {}
`,
  });
  const io = createFakeIo({ cwd });
  const running = runCli(["run", "told.yaml", "a bridge"], io);
  onTestFinished(async () => {
    io.signal("SIGTERM");
    await running;
  });
  await io.seen("s        ● started");
  const file = () => onlyTrajectory(join(cwd, USUAL));
  await expect.poll(() => existsSync(join(cwd, USUAL, "active")) && filesIn(cwd).length).toBe(1);
  await call(cwd, ["trail", "finding", "the bank is wet"]);
  await expect
    .poll(() => JSON.stringify(file().trajectory), { timeout: 15_000 })
    .toContain("bank is wet");
  const { path, trajectory } = file();
  expect(path).toBe(join("active", trajectory.id, "trajectory.json"));
  expect(trajectory).toMatchObject({ status: "active", task: { title: "a bridge" } });
  expect(trajectory).not.toHaveProperty("completedAt");
  expect(validateTrajectory(trajectory)).toMatchObject({ success: true });
  expect(agentTrail(cwd, "list")).toContain("a bridge");
  expect(agentTrail(cwd, "doctor")).toContain("No invalid trajectory files found");
  const listed = await call(cwd, ["trail", "list", "--status", "active", "--json"]);
  expect(JSON.parse(listed.out)).toMatchObject({ trajectories: [{ id: trajectory.id }] });
});

test("what a run that was let go leaves among the active ones moves when it ends, with its trace [TRJ-1.active]", async () => {
  const cwd = waitingProject();
  expect((await call(cwd, ["run", "told.yaml"])).exitCode).toBe(3);
  const { id } = onlyTrajectory(join(cwd, USUAL)).trajectory;
  expect(filesIn(cwd)).toEqual([`active/${id}.trace.json`, `active/${id}/trajectory.json`]);
  expect(onlyTrajectory(join(cwd, USUAL)).trajectory.chapters.at(-1)).toMatchObject({
    title: "ask",
  });
  expect((await call(cwd, ["approve", "--run", "@last", "--resume"])).exitCode).toBe(0);
  const { trajectory } = onlyTrajectory(join(cwd, USUAL));
  const month = `completed/${trajectory.completedAt?.slice(0, 7)}`;
  expect(filesIn(cwd)).toEqual([
    ...[`${month}/${id}.trace.json`, `${month}/${id}/summary.md`, `${month}/${id}/trajectory.json`],
  ]);
  expect(trajectory).toMatchObject({ id, status: "completed", filesChanged: ["src/a.txt"] });
});

test("a run that is removed before its end has abandoned its trajectory, and stays while nobody can write that [TRJ-1.active]", async () => {
  const cwd = waitingProject();
  await call(cwd, ["run", "told.yaml"]);
  const { id } = onlyTrajectory(join(cwd, USUAL)).trajectory;
  const gc = ["gc", "@last", "--force", "-y"];
  writeFileSync(join(cwd, USUAL, "completed"), "a file");
  expect(await call(cwd, gc)).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining("warning[TRAIL_UNWRITABLE]"),
  });
  rmSync(join(cwd, USUAL, "completed"));
  expect((await call(cwd, gc)).out).toMatch(/^removed 1 run, /);
  const { trajectory, path } = onlyTrajectory(join(cwd, USUAL));
  expect(path).toMatch(/^completed\//);
  expect(trajectory).toMatchObject({
    ...{ id, status: "abandoned", filesChanged: ["src/a.txt"] },
    retrospective: { summary: "cancelled: it was removed before its end" },
  });
  expect(validateTrajectory(trajectory)).toMatchObject({ success: true });
});

test("a foreign run that is removed tells nothing, whatever it brings [TRJ-1.active, SEC-2.foreign]", async () => {
  const cwd = waitingProject();
  await call(cwd, ["run", "told.yaml"]);
  const before = onlyTrajectory(join(cwd, USUAL));
  const [run = ""] = createMachineAt({ cwd }).store.list();
  chmodSync(join(cwd, ".troupe/runs", run), 0o755);
  expect((await call(cwd, ["gc", run, "--force", "-y"])).out).toMatch(/^removed 1 run, /);
  expect(onlyTrajectory(join(cwd, USUAL))).toEqual(before);
});

test("a run that is removed leaves the trajectory that it still owed [TRJ-1.active]", async () => {
  const cwd = waitingProject();
  await call(cwd, ["run", "told.yaml"]);
  await call(cwd, ["approve", "--run", "@last", "--resume"]);
  const { path } = onlyTrajectory(join(cwd, USUAL));
  rmSync(join(cwd, USUAL, path));
  const machine = createMachineAt({ cwd });
  expectTrajectory(machine, machine.store.list()[0] ?? "");
  expect((await call(cwd, ["gc", "--keep", "0", "-y"])).out).toMatch(/^removed 1 run, /);
  expect(onlyTrajectory(join(cwd, USUAL))).toMatchObject({
    path,
    trajectory: { status: "completed" },
  });
});

test("agent-trajectories shows which files a run has changed, and by which model [TRJ-1.active]", async () => {
  const cwd = waitingProject();
  await call(cwd, ["run", "told.yaml"]);
  await call(cwd, ["approve", "--run", "@last", "--resume"]);
  const { path, trajectory } = onlyTrajectory(join(cwd, USUAL));
  const file = join(cwd, USUAL, path, "../..", `${trajectory.id}.trace.json`);
  const contributor = { type: "ai", model_id: "small" };
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    version: "1.0.0",
    id: expect.stringMatching(/^trace_[0-9a-f]{12}$/),
    timestamp: trajectory.completedAt,
    trajectory: trajectory.id,
    files: [{ path: "src/a.txt", conversations: [{ contributor, ranges: [] }] }],
  });
  const shown = agentTrail(cwd, "show", trajectory.id, "--trace");
  for (const text of ["src/a.txt", "Model: small", "Files:     1"]) expect(shown).toContain(text);
});

test("what is added to a run that nobody carries out is in its file at once, also to one that ended at a limit [TRJ-1.active, TRJ-3.record]", async () => {
  const suspended = waitingProject();
  await call(suspended, ["run", "told.yaml"]);
  await call(suspended, ["trail", "finding", "the bank is wet"]);
  const active = onlyTrajectory(join(suspended, USUAL));
  expect(active.path).toMatch(/^active\//);
  expect(JSON.stringify(active.trajectory)).toContain("user: the bank is wet");
  const limited = projectWithTrail();
  await call(limited, ["run", "told.yaml", "a bridge", "--max-turns", "1"]);
  await call(limited, ["trail", "finding", "the bank is wet"]);
  const ended = onlyTrajectory(join(limited, USUAL));
  expect(ended).toMatchObject({ path: expect.stringMatching(/^completed\//) });
  expect(ended.trajectory.retrospective?.learnings).toEqual(["the bank is wet"]);
});

test("known secrets never reach the file of a run that goes on [TRJ-1.active, T11]", async () => {
  const cwd = createProject({
    "told.yaml": WAITING.replace("say: done", "say: a-very-secret-word"),
  });
  await call(cwd, ["run", "told.yaml"], { env: { SHOP_TOKEN: "a-very-secret-word" } });
  const text = readFileSync(join(cwd, USUAL, onlyTrajectory(join(cwd, USUAL)).path), "utf8");
  expect([text.includes("***"), text.includes("a-very-secret-word")]).toEqual([true, false]);
});
