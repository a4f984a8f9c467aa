import fc from "fast-check";
import { expect, test } from "vitest";
import { createFork } from "../../../src/app/again/fork/fork-run.ts";
import { createRerun } from "../../../src/app/again/rerun/rerun-run.ts";
import { readEvents } from "../../../src/app/runs/run-events.ts";
import { inspectRun } from "../../../src/app/runs/run-lookup.ts";
import type { PatternDefinition } from "../../../src/contracts/definition.ts";
import { createFileMachine } from "../file-machine.ts";
import { endOf, goOnToEnd, runToEnd, sixSteps, Worker } from "./six-steps.ts";

test("a fork at every single event goes on to the same end [ENG-15]", async () => {
  const machine = createFileMachine();
  const run = await runToEnd(machine, new Worker());
  const expected = endOf(inspectRun(machine, run));
  const events = readEvents(machine, run);
  for (const { seq } of events.slice(0, -1)) {
    const fork = await createFork(machine, run, { at: String(seq) });
    expect(endOf(await goOnToEnd(machine, new Worker(), fork.run))).toEqual(expected);
  }
  const last = String(events.length);
  await expect(createFork(machine, run, { at: last })).rejects.toMatchObject({
    code: "RUN_FORK_OVER",
  });
});

test("reuse never changes what a workflow comes to, whichever steps failed before [ENG-15]", async () => {
  const ids = sixSteps.steps.map(({ id }) => id);
  const graph = fc.tuple(
    fc.array(fc.subarray(ids), { minLength: 6, maxLength: 6 }),
    fc.subarray(ids),
  );
  await fc.assert(
    fc.asyncProperty(graph, async ([edges, failing]) => {
      const machine = createFileMachine();
      const definition: PatternDefinition = { ...sixSteps, steps: withEdges(edges) };
      const broken = new Worker();
      for (const id of failing) broken.failing.add(id);
      const run = await runToEnd(machine, broken, definition);
      const rerun = await createRerun(machine, run, { kind: "failed" });
      const worker = new Worker();
      const state = await goOnToEnd(machine, worker, rerun.run);
      const whole = inspectRun(machine, await runToEnd(machine, new Worker(), definition));
      expect(endOf(state)).toEqual(endOf(whole));
      const succeeded = broken.calls.filter((step) => !broken.failing.has(step));
      expect(worker.calls.filter((step) => succeeded.includes(step))).toEqual([]);
    }),
    { numRuns: 15 },
  );
});

/** The six steps with other dependencies; each only on earlier ones. */
function withEdges(edges: readonly (readonly string[])[]): PatternDefinition["steps"] {
  return sixSteps.steps.map((step, index) => {
    const earlier = sixSteps.steps.slice(0, index).map(({ id }) => id);
    const dependsOn = (edges[index] ?? []).filter((id) => earlier.includes(id));
    const prompt = [step.id, ...dependsOn.map((id) => `{{steps.${id}.output}}`)].join(" ");
    return { ...step, dependsOn, prompt };
  });
}
