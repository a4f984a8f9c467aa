import { expect, test } from "vitest";
import { runWorkflowInMemory, startInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";

function statuses(run: FinishedRun): { readonly [step: string]: string } {
  return Object.fromEntries([...run.state.steps.byPath].map(([path, step]) => [path, step.status]));
}

test("a step starts when its own dependencies are done, while an unrelated one still runs [ENG-9, PAT-dag]", async () => {
  const slow = Promise.withResolvers<string>();
  const run = await startInMemory(
    {
      agents: ["slow", "first", "second"].map((id) => ({ id, backend: "function" })),
      steps: [{ id: "slow" }, { id: "first" }, { id: "second", dependsOn: ["first"] }],
    },
    { functions: { slow: () => slow.promise, first: () => "1", second: () => "2" } },
  );
  await run.event("step-completed", (event) => event.step === "second");
  expect(run.run.state.steps.byPath.get("slow")?.status).toBe("running");
  slow.resolve("at last");
  expect((await run.over()).outcome).toBe("completed");
});

test("a failed step blocks its descendants only; the others go on, and the run has failed [PAT-dag, ENG-11]", async () => {
  const run = await runWorkflowInMemory(
    {
      agents: [{ id: "ok" }, { id: "bad" }],
      steps: [
        { id: "bad" },
        { id: "child", agent: "ok", dependsOn: ["bad"] },
        { id: "grandchild", agent: "ok", dependsOn: ["child", "ok"] },
        { id: "ok" },
        { id: "later", agent: "ok", dependsOn: ["ok"] },
      ],
    },
    { turns: { bad: [{ fail: { code: "BROKEN", message: "no luck", retryable: false } }] } },
  );
  expect(run.outcome).toBe("failed");
  expect(statuses(run)).toEqual({
    bad: "failed",
    child: "blocked",
    grandchild: "blocked",
    ok: "completed",
    later: "completed",
  });
  expect(run.all("step-blocked").map(({ step, by }) => ({ step, by }))).toEqual([
    { step: "child", by: ["bad"] },
    { step: "grandchild", by: ["child"] },
  ]);
  expect(run.parting.event).toMatchObject({
    type: "run-ended",
    outcome: "failed",
    exitCode: 1,
    resumable: false,
    reason: 'step "bad" failed: no luck',
  });
});

test("at most maxConcurrency steps run at a time [ENG-9]", async () => {
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => setImmediate(resolve));
    running -= 1;
    return "ok";
  };
  const ids = Array.from({ length: 20 }, (_, index) => `s${index}`);
  const run = await runWorkflowInMemory(
    {
      agents: [{ id: "a", backend: "function" }],
      steps: ids.map((id) => ({ id })),
      maxConcurrency: 3,
    },
    { functions: { a: work } },
  );
  expect(run.outcome).toBe("completed");
  expect(most).toBe(3);
});

test("when skips a step, which satisfies its dependents; a condition that cannot be evaluated fails it [WF-5, WF-10.order]", async () => {
  const run = await runWorkflowInMemory({
    agents: [{ id: "a" }],
    steps: [
      { id: "first" },
      { id: "skipped", when: 'steps.first.status == "failed"', dependsOn: ["first"] },
      { id: "after", dependsOn: ["skipped"], prompt: "got [{{steps.skipped.output}}]" },
      { id: "wrong", when: "steps.first.output > 3", dependsOn: ["first"] },
    ],
  });
  expect(statuses(run)).toEqual({
    first: "completed",
    skipped: "skipped",
    after: "completed",
    wrong: "failed",
  });
  expect(run.all("turn-started").map((event) => event.step?.id)).toEqual(["first", "after"]);
  expect(run.all("operation-scheduled").at(-1)?.input).toMatchObject({ task: "got []" });
});

test("upstream results reach the prompt as labelled data, and DONE lines reach the channel [PAT-dag, CON-1.patterns, CON-2.text]", async () => {
  const told: [string, string][] = [];
  const run = await runWorkflowInMemory(
    {
      agents: [{ id: "a" }, { id: "tool", backend: "command", settings: { command: ["cat"] } }],
      steps: [
        { id: "one", agent: "a", prompt: "count" },
        { id: "two", agent: "a", prompt: "add", dependsOn: ["one"] },
        { id: "three", agent: "tool", prompt: "plain", dependsOn: ["two"] },
      ],
    },
    {
      turns: { "a/one": [{ say: "DONE: 42" }], "a/two": [{ expect: "42", say: "DONE: 43" }] },
      onTaskAugmented: (agent, text) => told.push([agent, text]),
    },
  );
  expect(run.outcome).toBe("completed");
  const [, two, three] = told.map(([, text]) => text);
  expect(two).toMatch(/output of step "one"\n42\n[\s\S]*## Your Task\n\nadd$/);
  expect(three).toBe("plain");
  expect(
    run.state.messages.recent.map(({ from, channel, text }) => ({ from, channel, text })),
  ).toEqual([
    { from: "a", channel: "main", text: "DONE: 42" },
    { from: "a", channel: "main", text: "DONE: 43" },
  ]);
});

test("the result has the shapes of WorkflowResult and AgentResult [SDK-6]", async () => {
  const run = await runWorkflowInMemory(
    {
      agents: [{ id: "good" }, { id: "bad" }, { id: "idle" }],
      steps: [{ id: "good" }, { id: "bad" }],
    },
    { turns: { good: [{ say: "DONE: fine" }], bad: [{ say: "FAILED: cannot" }] } },
  );
  expect(run.result).toEqual({
    pattern: "dag",
    durationMs: expect.any(Number),
    success: false,
    output: "## good\n\nfine",
    metadata: {},
    agents: [
      {
        name: "good",
        exitReason: "exited",
        completedBy: "done-signal",
        messages: [expect.objectContaining({ from: "good", text: "DONE: fine" })],
        summary: "fine",
      },
      {
        name: "bad",
        exitReason: "failed",
        messages: [expect.objectContaining({ from: "bad", text: "FAILED: cannot" })],
      },
      { name: "idle", exitReason: "released", messages: [] },
    ],
  });
});
