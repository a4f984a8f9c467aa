import { expect, test } from "vitest";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import {
  resumeInMemory,
  runWorkflowInMemory,
  startInMemory,
} from "../../../src/testing/run-workflow-in-memory.ts";

const FAIL = { fail: { code: "NO", message: "not yet", retryable: false } };

test("onFailure: pause suspends the run as waiting; resuming it tries the step once more [WF-10.on-failure, ENG-18]", async () => {
  const store = createCuttableStore();
  const run = await runWorkflowInMemory(
    { agents: [{ id: "a" }, { id: "b" }], steps: [{ id: "a" }, { id: "b" }], onFailure: "pause" },
    { store, suspendsWhenWaiting: true, turns: { a: [FAIL, { say: "DONE: now" }] } },
  );
  expect(run.parting).toMatchObject({
    status: "suspended",
    event: {
      reason: "waiting",
      exitCode: 3,
      waitingFor: [{ kind: "approval", step: "a", text: 'step "a" failed: not yet' }],
    },
  });
  expect(run.state.steps.byPath.get("b")?.status).toBe("completed");
  const resumed = await (await resumeInMemory(run.id, { store })).over();
  expect(resumed.outcome).toBe("completed");
  expect(resumed.all("approval-resolved")).toMatchObject([{ decision: "approved", by: "resume" }]);
  expect(resumed.all("step-completed")).toMatchObject([{ step: "a", execution: 2, output: "now" }]);
});

test("a paused failure that a person rejects leaves the step failed [WF-10.on-failure]", async () => {
  const run = await startInMemory(
    { agents: [{ id: "a" }], onFailure: "pause" },
    { task: "x", turns: { a: [FAIL] } },
  );
  const { approval } = await run.event("approval-requested");
  await run.run.command({ kind: "resolve-approval", approval, decision: "rejected" });
  expect((await run.over()).outcome).toBe("failed");
});

test("a run that reaches its deadline is timed out and resumable; with a higher limit it goes on [ENG-7.run, ENG-11]", async () => {
  const clock = createManualClock();
  const store = createCuttableStore();
  const run = await startInMemory(
    {
      agents: [{ id: "a" }, { id: "slow" }],
      steps: [{ id: "a" }, { id: "slow" }],
      timeoutMs: 1000,
    },
    { clock, store, turns: { slow: [{ after: "5s", say: "DONE: at last" }] } },
  );
  await clock.advance(1000);
  const over = await run.over();
  expect(over.parting.event).toMatchObject({
    type: "run-ended",
    outcome: "timed-out",
    resumable: true,
    exitCode: 5,
    durationMs: 1000,
    result: { success: false, agents: [{ exitReason: "exited" }, { exitReason: "timeout" }] },
  });
  const resumed = await resumeInMemory(over.id, { clock, store, limits: { timeoutMs: 60_000 } });
  await clock.advance(5000);
  const end = await resumed.over();
  expect(end.outcome).toBe("completed");
  expect(end.all("run-resumed")).toMatchObject([{ limits: { timeoutMs: 60_000 } }]);
  expect(end.result?.agents.map(({ name, exitReason }) => [name, exitReason])).toEqual([
    ["a", "exited"],
    ["slow", "exited"],
  ]);
});

test("a cancelled run ends as cancelled, with its agents' processes, and starts nothing more [ENG-6, ENG-11, P11]", async () => {
  const pid = Promise.withResolvers<number>();
  const run = await startInMemory(
    {
      agents: [
        { id: "sleeper", backend: "command", settings: { command: "echo $$; exec sleep 600" } },
        { id: "next" },
      ],
      steps: [{ id: "sleeper" }, { id: "next", dependsOn: ["sleeper"] }],
    },
    {
      task: "x",
      onUpdate: (_agent, update) => {
        if (update.type === "text-delta") pid.resolve(Number(update.text));
      },
    },
  );
  const sleeper = await pid.promise;
  await run.run.cancel("not needed");
  const over = await run.over();
  expect(over.parting.event).toMatchObject({
    outcome: "cancelled",
    reason: "not needed",
    exitCode: 1,
    resumable: false,
    result: { success: false },
  });
  expect(over.state.steps.byPath.get("sleeper")?.status).toBe("cancelled");
  expect(over.all("turn-started")).toHaveLength(1);
  expect(over.all("agent-exited").map((event) => event.reason)).toEqual(["cancelled", "cancelled"]);
  expect(() => process.kill(sleeper, 0)).toThrow(/ESRCH/);
});

test("an agent that never gave its signal has not succeeded [ENG-11]", async () => {
  const run = await startInMemory(
    { agents: [{ id: "a" }], steps: [{ id: "a", expects: "READY" }] },
    { task: "x", turns: { a: [{ say: "I am off" }] } },
  );
  const over = await run.over();
  expect(over.outcome).toBe("failed");
  expect(over.result?.agents).toMatchObject([{ name: "a", exitReason: "failed" }]);
});
