import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { call, createProject } from "./fake-io.ts";
import { onlyTrajectory, USUAL } from "./trail-project.ts";

const BIN = join(import.meta.dirname, "../../bin/troupe.js");

test("what a process that was killed leaves among the active ones is whole, and the run that goes on goes on with it [TRJ-1.active]", async () => {
  const cwd = createProject({
    "told.yaml": `id: told
steps:
  - { id: look, type: shell, command: "echo seen", next: wait }
  - { id: wait, type: shell, command: "test -e go || sleep 600" }
trajectory: {}
`,
  });
  const home = join(cwd, "home");
  const { PATH } = process.env;
  const child = spawn(process.execPath, [BIN, "run", "told.yaml"], {
    ...{ cwd, env: { PATH, HOME: home, TROUPE_HOME: home }, stdio: "ignore" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const left = () => onlyTrajectory(join(cwd, USUAL));
  const titles = () =>
    existsSync(join(cwd, USUAL)) && left().trajectory.chapters.map(({ title }) => title);
  await expect.poll(titles).toContain("wait");
  child.kill("SIGKILL");
  await once(child, "exit");
  const { path, trajectory } = left();
  expect([path, trajectory.status]).toEqual([`active/${trajectory.id}/trajectory.json`, "active"]);
  writeFileSync(join(cwd, "go"), "");
  const resumed = await call(cwd, ["resume", "@last"], { env: { TROUPE_HOME: home, HOME: home } });
  expect(resumed.exitCode).toBe(0);
  expect(left()).toMatchObject({
    path: expect.stringMatching(/^completed\//),
    trajectory: { id: trajectory.id, status: "completed" },
  });
});

test.each(["in a git repository", "outside of git"])(
  "what is written of a run while its agents work is nobody's work, %s [TRJ-1.active, AGT-12]",
  async (where) => {
    // Goes on once its own chapter stands in the file, which was not there when it began.
    const command = `until grep -qr '"title": "change"' ${USUAL}; do sleep 0.05; done; echo b > src/a.txt`;
    const cwd = createProject({
      "told.yaml": `version: "1.0"
name: told
pattern: pipeline
agents:
  - { id: a, backend: command, command: ["sh", "-c", ${JSON.stringify(command)}], constraints: { fileScope: { include: ["src/**"] } } }
steps: [{ id: change, agent: a }]
trajectory: {}
`,
    });
    mkdirSync(join(cwd, "src"));
    writeFileSync(join(cwd, "src/a.txt"), "a\\n");
    if (where === "in a git repository") {
      const git = (...args: readonly string[]) => spawnSync("git", args, { cwd });
      git("init", "-q");
      git("add", ".");
      git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "begin");
    }
    const { exitCode, out } = await call(cwd, ["run", "told.yaml", "go"]);
    expect([exitCode, out.includes("left its place")]).toEqual([0, false]);
  },
);
