import { expect, test } from "vitest";
import { createProject, troupe } from "./troupe-process.ts";

const FAILING = `name: failing
pattern: dag
agents:
  - { id: a, backend: command, command: "for i in $(seq 1 30); do echo line $i; done; echo REASON; exit 2" }
  - { id: b, backend: command, command: "echo never" }
steps:
  - { id: one, agent: a }
  - { id: two, agent: b, dependsOn: [one] }
`;

test("a failed command tells why, how much failed and what comes next, wherever it is looked at [USE-1.told]", async () => {
  const cwd = createProject({ "failing.yaml": FAILING });
  const ran = await troupe(cwd, ["run", "failing.yaml", "go"]);
  expect(ran.exitCode).toBe(1);
  const [run = ""] = /run_\w{6}/.exec(ran.out) ?? [];
  const told = [
    '✖ one: the command of agent "a" exited with 2: REASON [BACKEND_COMMAND_FAILED]',
    "  | line 1",
    "  | line 2",
    "  | … 25 lines …",
    "  | line 28",
    "  | line 29",
    "  | line 30",
    "  | REASON",
    `  | all of it: troupe show ${run} --step one --output`,
    `  = its log has all that it printed: troupe logs ${run} --raw --agent a`,
    "1 of 2 steps failed, 1 blocked",
    `next: troupe rerun ${run} --failed · troupe show ${run} --step one`,
  ];
  for (const { out } of [
    ran,
    await troupe(cwd, ["show", run]),
    await troupe(cwd, ["logs", run]),
    await troupe(cwd, ["resume", run]),
  ])
    expect(out.trimEnd().split("\n").slice(-told.length)).toEqual(told);
  // What it names works.
  const raw = await troupe(cwd, ["logs", run, "--raw", "--agent", "a"]);
  expect(raw.out).toContain("REASON");
  const again = await troupe(cwd, ["rerun", run, "--failed"]);
  expect([again.exitCode, again.out]).toEqual([1, expect.stringContaining("REASON")]);
});
