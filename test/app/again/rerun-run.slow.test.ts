import { expect, test } from "vitest";
import { explainRerun } from "../../../src/app/again/rerun/explain-rerun.ts";
import { createRerun } from "../../../src/app/again/rerun/rerun-run.ts";
import { readEvents } from "../../../src/app/runs/run-events.ts";
import { inspectRun } from "../../../src/app/runs/run-lookup.ts";
import type { PatternDefinition } from "../../../src/contracts/definition.ts";
import { createFileMachine } from "../file-machine.ts";
import { endOf, goOnToEnd, runToEnd, sixSteps, Worker } from "./six-steps.ts";

test("a rerun of what failed starts nothing for steps that succeeded, and says where they come from [ENG-15]", async () => {
  const machine = createFileMachine();
  const broken = new Worker();
  broken.failing.add("d");
  const run = await runToEnd(machine, broken);
  const worker = new Worker();
  const rerun = await createRerun(machine, run, { kind: "failed" });
  expect(rerun.offered).toBe(4);
  const state = await goOnToEnd(machine, worker, rerun.run);
  expect(worker.calls).toEqual(["d", "e"]);
  const whole = inspectRun(machine, await runToEnd(machine, new Worker()));
  expect(endOf(state)).toEqual(endOf(whole));
  const reused = readEvents(machine, rerun.run).flatMap((event) =>
    event.type === "step-completed" && event.reusedFrom !== undefined ? [event] : [],
  );
  expect(reused.map(({ path }) => path).sort()).toEqual(["a", "b", "c", "f"]);
  for (const { path, reusedFrom } of reused) {
    const source = readEvents(machine, run)[(reusedFrom?.seq ?? 0) - 1];
    expect(source).toMatchObject({ type: "step-completed", path });
  }
  const again = await createRerun(machine, rerun.run, { kind: "failed" });
  expect(again.offered).toBe(6);
  const idle = new Worker();
  await goOnToEnd(machine, idle, again.run);
  expect(idle.calls).toEqual([]);
  expect(inspectRun(machine, again.run).steps.byPath.get("a")).toMatchObject({
    reusedFrom: { run },
  });
});

test("a rerun from a step carries that out again and what depends on it; of one step, that alone [ENG-15]", async () => {
  const machine = createFileMachine();
  const run = await runToEnd(machine, new Worker());
  const callsOf = async (choice: Parameters<typeof createRerun>[2]) => {
    const worker = new Worker();
    await goOnToEnd(machine, worker, (await createRerun(machine, run, choice)).run);
    return worker.calls.toSorted();
  };
  expect(await callsOf({ kind: "from", step: "c" })).toEqual(["c", "d", "e"]);
  expect(await callsOf({ kind: "only", step: "c" })).toEqual(["c"]);
  expect(await callsOf({ kind: "failed" })).toEqual([]);
  await expect(createRerun(machine, run, { kind: "from", step: "cc" })).rejects.toMatchObject({
    code: "RUN_STEP_UNKNOWN",
    hint: expect.stringContaining('did you mean "c"?'),
  });
});

test("a step that is given something else is carried out again, although it was offered [ENG-15]", async () => {
  const machine = createFileMachine();
  const run = await runToEnd(machine, new Worker());
  const rerun = await createRerun(machine, run, { kind: "only", step: "b" });
  const worker = new Worker();
  const other = new Map([
    [
      "worker",
      (call: { readonly step?: string; readonly task: string }) => {
        worker.calls.push(call.step ?? "");
        return `other ${call.step}`;
      },
    ],
  ]);
  await goOnToEnd(machine, Object.assign(new Worker(), { functions: other }), rerun.run);
  expect(worker.calls).toEqual(["b", "d", "e"]);
});

test("a step that was undone is carried out again, and undone again when it must be [ENG-15, PAT-more.saga]", async () => {
  const machine = createFileMachine();
  const broken = new Worker();
  broken.failing.add("e");
  const compensate = { agent: "worker", prompt: "undo {{steps.a.output}}", timeoutMs: 60_000 };
  const saga: PatternDefinition = {
    ...sixSteps,
    pattern: "saga",
    mode: "dag",
    steps: sixSteps.steps.map((step) => (step.id === "a" ? { ...step, compensate } : step)),
  };
  const run = await runToEnd(machine, broken, saga);
  expect(broken.calls.filter((step) => step.startsWith("a"))).toEqual(["a", "a/compensate"]);
  const plan = await explainRerun(machine, run, { kind: "failed" });
  expect(plan.steps.map(({ path, plan: what, why }) => [path, what, why])).toContainEqual([
    ...["a", "again", "was undone"],
  ]);
  expect(plan.steps.map(({ path }) => path).toSorted()).toEqual(["a", "b", "c", "d", "e", "f"]);
  const again = new Worker();
  again.failing.add("e");
  await goOnToEnd(machine, again, (await createRerun(machine, run, { kind: "failed" })).run);
  expect(again.calls).toEqual(["a", "e", "a/compensate"]);
});

test("what a rerun would do is told before, with the reason, and nothing is made [ENG-15]", async () => {
  const machine = createFileMachine();
  const broken = new Worker();
  broken.failing.add("d");
  const run = await runToEnd(machine, broken);
  const plan = await explainRerun(machine, run, { kind: "only", step: "b" });
  expect(plan.steps.map(({ path, plan: what, why }) => [path, what, why])).toEqual([
    ["a", "reused", `completed in ${run}`],
    ["f", "reused", `completed in ${run}`],
    ["b", "again", "--only b"],
    ["c", "reused", `completed in ${run}`],
    ["d", "again", expect.stringMatching(/^failed: .*d cannot$/)],
    ["e", "again", "was blocked by d"],
  ]);
  expect(machine.store.list()).toEqual([run]);
});
