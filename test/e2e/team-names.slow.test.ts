import { execFileSync } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createProject, startTroupe, troupe } from "./troupe-process.ts";

// Its leader says that it is there, and waits for a line in the pipe.
const LEAD = 'echo here > begun; read line < go; echo "DONE: all"';
const STEPS = `id: inner
agents: { lead: { backend: command, command: [sh, lead.sh] } }
steps:
  - { id: team, type: pattern, pattern: team, agents: [lead], task: x, team: { name: port } }
`;
const args = (...more: readonly string[]) => [
  ...["team", "Do it", ...more, "--agent", "command", "--progress", "plain"],
  ...["--", "sh", "lead.sh"],
];

function projectWithPipes() {
  const cwd = createProject({ "lead.sh": LEAD, "steps.yaml": STEPS });
  for (const name of ["begun", "go"]) execFileSync("mkfifo", [join(cwd, name)]);
  // Open for reading as well: a line waits for whoever comes later.
  const go = openSync(join(cwd, "go"), "r+");
  onTestFinished(() => closeSync(go));
  return {
    cwd,
    hasBegun: () => void execFileSync("cat", [join(cwd, "begun")]),
    letGo: (leaders = 1) => void writeSync(go, "\n".repeat(leaders)),
  };
}

test("a second run with a team of the same name is refused while the first one lives, also as a step, and other names are not [TEAM-4]", async () => {
  const { cwd, hasBegun, letGo } = projectWithPipes();
  const first = startTroupe(cwd, args("--name", "port"));
  const [, run = ""] = await first.seen(/(run_\w+)/);
  hasBegun();
  for (const second of [args("--name", "port"), ["run", "steps.yaml", "x"]]) {
    const refused = await troupe(cwd, second);
    expect([refused.exitCode, refused.err]).toEqual([
      6,
      expect.stringContaining(`team "port" is at work already, in ${run}, process ${first.pid}`),
    ]);
    expect(refused.err).toContain(`troupe cancel ${run}`);
  }
  const other = startTroupe(cwd, args("--name", "other"));
  hasBegun();
  letGo(2);
  const ends = await Promise.all([first.ended, other.ended]);
  expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
});

test("the name of a team is free as soon as its process is gone, and the run that had it can go on later [TEAM-4]", async () => {
  const { cwd, hasBegun, letGo } = projectWithPipes();
  const first = startTroupe(cwd, args("--name", "port"));
  const [, run = ""] = await first.seen(/(run_\w+)/);
  hasBegun();
  first.kill("SIGKILL");
  await first.ended;
  const second = startTroupe(cwd, args("--name", "port"));
  hasBegun();
  const early = await troupe(cwd, ["resume", run]);
  expect([early.exitCode, early.err]).toEqual([6, expect.stringContaining("WORKFLOW_NAME_TAKEN")]);
  letGo();
  expect((await second.ended).exitCode).toBe(0);
  const resumed = startTroupe(cwd, ["resume", run]);
  hasBegun();
  letGo();
  expect((await resumed.ended).exitCode).toBe(0);
});
