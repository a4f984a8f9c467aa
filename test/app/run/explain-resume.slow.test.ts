import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Machine } from "../../../src/app/machine/machine.ts";
import { explainResume } from "../../../src/app/run/explain-resume.ts";
import { resumeOnMachine } from "../../../src/app/run/resume-run.ts";
import { startRun } from "../../../src/app/run/start-run.ts";
import { readEvents } from "../../../src/app/runs/run-events.ts";
import type { PatternDefinition } from "../../../src/contracts/definition.ts";
import { sha256 } from "../../../src/foundation/hash.ts";
import { claim, RULES } from "../../../src/testing/journal-case.ts";
import { createFileMachine, recordedRun, writeRun } from "../file-machine.ts";

/** The recorded run as a crash after its first events would have left it. */
async function crashedAfter(eventCount: number) {
  const machine = createFileMachine();
  const recorded = recordedRun("run_cut001", eventCount);
  const events = recorded.events.map((event) =>
    event.type === "run-created" ? { ...event, cwd: machine.root } : event,
  );
  await writeRun(machine, { ...recorded, events });
  return machine;
}

test("of a run that was cut off, what is done is kept, what was under way is attempted again, the rest starts", async () => {
  const machine = await crashedAfter(70);
  const plan = await explainResume(machine, "run_cut001");
  expect(plan.verdict).toEqual({ status: "goes-on" });
  const rows = plan.steps.map((step) => [step.path, step.plan, step.why]);
  expect(rows).toEqual([
    ["plan", "kept", "completed (done-signal)"],
    ["left", "kept", "completed (exit)"],
    ["right", "kept", "completed (exit)"],
    ["shaky", "kept", "completed (exit)"],
    ["check", "again", "attempt 1 was under way: it was between two operations"],
    ["think", "again", "attempt 1 was under way: a turn of thinker that had not begun"],
    ["polish", "starts", expect.stringMatching(/^has not begun, comes after /)],
    ["report", "starts", expect.stringMatching(/^has not begun, comes after /)],
  ]);
  expect(plan.steps.map(({ output }) => output !== null)).toEqual(
    rows.map(([, what]) => what === "kept"),
  );
});

test("a step that failed and may be tried again says why", async () => {
  const plan = await explainResume(await crashedAfter(46), "run_cut001");
  expect(plan.steps.find(({ path }) => path === "shaky")).toMatchObject({
    plan: "again",
    why: expect.stringMatching(/^attempt 1 failed: /),
  });
});

test("explaining is right: what it says is kept is not executed again, and nothing is written", async () => {
  const machine = await crashedAfter(70);
  const before = readEvents(machine, "run_cut001");
  const plan = await explainResume(machine, "run_cut001");
  expect(readEvents(machine, "run_cut001")).toEqual(before);
  const functions = new Map([["thinker", () => Promise.resolve("thought")]]);
  const resumption = await resumeOnMachine(machine, "run_cut001", { functions });
  if (resumption.status !== "resumed") throw new Error("the run is over");
  await resumption.run.parted;
  const added = readEvents(machine, "run_cut001").slice(before.length);
  const settled = new Set(
    added.flatMap((event) =>
      event.type === "step-completed" || event.type === "step-failed" ? [event.path] : [],
    ),
  );
  for (const { path, plan: what } of plan.steps) {
    if (what === "kept") expect(settled).not.toContain(path);
    if (what === "again") expect(settled).toContain(path);
  }
});

test("a run that is over, and one that a process carries out, are not explained away", async () => {
  const machine = createFileMachine();
  await writeRun(machine, recordedRun("run_ended1"));
  const over = await explainResume(machine, "run_ended1");
  expect(over.verdict).toEqual({ status: "over", outcome: "completed" });
  const live = await crashedAfter(70);
  const { pid, startedAt: pidStartedAt, bootId } = live.identity;
  const journal = live.store.open("run_cut001", "write");
  journal.takeLease(claim({ pid, pidStartedAt, bootId }), RULES);
  expect((await explainResume(live, "run_cut001")).verdict).toEqual({
    status: "impossible",
    reason: `process ${pid} carries it out`,
  });
  journal.close();
});

test("a run whose directory or program is not here cannot be resumed, and that is said before", async () => {
  const machine = createFileMachine();
  await writeRun(machine, recordedRun("run_moved1", 70));
  expect((await explainResume(machine, "run_moved1")).verdict).toMatchObject({
    status: "impossible",
    reason: expect.stringContaining("does not exist here"),
  });
  const recorded = recordedRun("run_code01", 70);
  const events = recorded.events.map((event) =>
    event.type === "run-created" ? { ...event, program: "mine" } : event,
  );
  await writeRun(machine, { ...recorded, events });
  expect((await explainResume(machine, "run_code01")).verdict).toMatchObject({
    status: "impossible",
  });
});

const PAUSING: PatternDefinition = {
  format: 1,
  shape: "pattern",
  name: "pausing",
  pattern: "dag",
  params: {},
  agents: [{ id: "check", backend: "command", settings: { command: ["test", "-e", "ready"] } }],
  steps: [
    {
      id: "check",
      agent: "check",
      dependsOn: [],
      maxAttempts: 1,
      retryDelayMs: 0,
      verify: [],
      fallback: [],
    },
  ],
  barriers: [],
  onFailure: "pause",
  channel: "main",
  options: {},
};

async function paused(machine: Machine, file: string, fileHash?: string): Promise<string> {
  const run = await startRun(machine, PAUSING, {
    file,
    suspendsWhenWaiting: true,
    ...(fileHash === undefined ? {} : { fileHash }),
  });
  await run.parted;
  return run.id;
}

test("a step that stopped the run is tried again by resuming it, and a changed file is told", async () => {
  const machine = createFileMachine();
  writeFileSync(join(machine.root, "flow.yaml"), "one");
  const run = await paused(machine, "flow.yaml", sha256("one"));
  expect(await explainResume(machine, run)).toMatchObject({
    steps: [
      { path: "check", plan: "again", why: expect.stringMatching(/resuming tries it again$/) },
    ],
    file: { name: "flow.yaml", status: "same" },
  });
  writeFileSync(join(machine.root, "flow.yaml"), "two");
  expect((await explainResume(machine, run)).file).toEqual({
    name: "flow.yaml",
    status: "changed",
  });
});

test.each([
  ["flow.yaml", undefined, { name: "flow.yaml", status: "unknown" }],
  ["gone.yaml", "x", { name: "gone.yaml", status: "missing" }],
  ["-", undefined, { name: null, status: "none" }],
])("the file %s with hash %s is compared truthfully", async (file, hash, expected) => {
  const machine = createFileMachine();
  writeFileSync(join(machine.root, "flow.yaml"), "one");
  expect((await explainResume(machine, await paused(machine, file, hash))).file).toEqual(expected);
});
