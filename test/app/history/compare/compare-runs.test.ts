import { expect, test } from "vitest";
import { createFork } from "../../../../src/app/again/fork/fork-run.ts";
import { createRerun } from "../../../../src/app/again/rerun/rerun-run.ts";
import { compareJournals, compareSteps } from "../../../../src/app/history/compare/compare-runs.ts";
import { goOnToEnd, runToEnd, Worker } from "../../again/six-steps.ts";
import { createFileMachine } from "../../file-machine.ts";

test("two runs of the same are aligned by step, and where they first part is named [ENG-15]", async () => {
  const machine = createFileMachine();
  const broken = new Worker();
  broken.failing.add("d");
  const first = await runToEnd(machine, broken);
  const { run: second } = await createRerun(machine, first, { kind: "failed" });
  await goOnToEnd(machine, new Worker(), second);
  const comparison = compareJournals(machine, first, second);
  expect(comparison.first).toMatchObject({ run: first, state: "failed", rerunOf: null });
  expect(comparison.second).toMatchObject({ run: second, state: "completed", rerunOf: first });
  expect(comparison.start).toEqual({
    isSameDefinition: true,
    isSameTask: true,
    isSameInput: true,
    changedParams: [],
  });
  const rows = comparison.steps.map(({ path, first: left, second: right, output }) => [
    path,
    left?.status,
    right?.isReused === true ? "reused" : right?.status,
    output,
  ]);
  expect(rows).toEqual([
    ["a", "completed", "reused", "same"],
    ["f", "completed", "reused", "same"],
    ["b", "completed", "reused", "same"],
    ["c", "completed", "reused", "same"],
    ["d", "failed", "completed", null],
    ["e", "blocked", "completed", null],
  ]);
  expect(comparison.divergence).toEqual({
    path: "d",
    execution: 1,
    what: "failed, then completed",
  });
});

test("a run is the same as itself; a changed prompt is counted and shown line by line [ENG-15]", async () => {
  const machine = createFileMachine();
  const first = await runToEnd(machine, new Worker());
  expect(compareJournals(machine, first, first)).toMatchObject({ divergence: null });
  const changes = [{ path: "params.target", text: "lib" }];
  const { run: second } = await createFork(machine, first, { at: "e", changes });
  await goOnToEnd(machine, new Worker(), second);
  const { steps, start, divergence } = compareJournals(machine, first, second);
  expect(start.changedParams).toEqual(["target"]);
  expect(divergence).toMatchObject({ path: "e", what: "was asked something else" });
  expect(steps.find(({ path }) => path === "e")).toMatchObject({
    promptChanges: { added: 1, removed: 1 },
    output: "changed",
  });
  const [shown] = compareSteps(machine, { first, second }, "e");
  expect(shown?.prompt.map(({ kind, text }) => [kind, text.slice(-4)])).toEqual([
    ["removed", " src"],
    ["added", " lib"],
  ]);
  expect(() => compareSteps(machine, { first, second }, "ee")).toThrow(
    expect.objectContaining({ code: "RUN_STEP_UNKNOWN" }),
  );
  expect(() => compareJournals(machine, first, "run_nope")).toThrow(
    expect.objectContaining({ code: "RUN_NOT_FOUND" }),
  );
});
