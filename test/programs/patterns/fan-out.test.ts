import { expect, test } from "vitest";
import { runWorkflowInMemory, startInMemory } from "../../../src/testing/run-workflow-in-memory.ts";

test("without steps every agent gets the task, all at once; one failure stops no other [PAT-fan-out]", async () => {
  const all = Promise.withResolvers<void>();
  let started = 0;
  const work = async (agent: string) => {
    started += 1;
    if (started === 3) all.resolve();
    await all.promise;
    if (agent === "b") throw new Error("broken");
    return `${agent} did it`;
  };
  const ids = ["a", "b", "c"];
  const run = await runWorkflowInMemory(
    { pattern: "fan-out", agents: ids.map((id) => ({ id, backend: "function" })) },
    {
      task: "count",
      functions: Object.fromEntries(
        ids.map((id) => [id, ({ task }) => work(id).then((text) => `${text}: ${task}`)]),
      ),
    },
  );
  expect(run.outcome).toBe("failed");
  expect(run.all("step-completed").map(({ step, output }) => [step, output])).toEqual([
    ["a", "a did it: count"],
    ["c", "c did it: count"],
  ]);
  expect(run.result?.output).toBe("## a\n\na did it: count\n\n## c\n\nc did it: count");
});

test("with onFailure: abort a failure cancels the others and ends their processes [PAT-fan-out, WF-10.on-failure, ENG-6, P11]", async () => {
  const run = await startInMemory(
    {
      pattern: "fan-out",
      onFailure: "abort",
      agents: [
        { id: "sleeper", backend: "command", settings: { command: "echo $$; exec sleep 600" } },
        { id: "bad", backend: "function" },
      ],
    },
    {
      task: "x",
      onUpdate: (_agent, update) => {
        if (update.type === "text-delta") pid.resolve(Number(update.text));
      },
      functions: {
        bad: async () => {
          await pid.promise;
          throw new Error("broken");
        },
      },
    },
  );
  const finished = await run.over();
  expect(finished.outcome).toBe("failed");
  expect(finished.state.steps.byPath.get("sleeper")?.status).toBe("cancelled");
  const sleeper = await pid.promise;
  expect(() => process.kill(sleeper, 0)).toThrow(/ESRCH/);
});

const pid = Promise.withResolvers<number>();

test("a workflow of one agent runs it on the task and its answer is the output", async () => {
  const run = await runWorkflowInMemory(
    { pattern: "fan-out", agents: [{ id: "only" }] },
    { task: "say hi", turns: { only: [{ expect: "say hi", say: "DONE: hi" }] } },
  );
  expect(run.result).toMatchObject({ success: true, output: "hi", pattern: "fan-out" });
});
