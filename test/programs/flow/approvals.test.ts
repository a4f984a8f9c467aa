import { expect, test } from "vitest";
import type { Json } from "../../../src/foundation/json.ts";
import { createMemoryStore } from "../../../src/journal/memory-store.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import {
  resumeInMemory,
  startStepsInMemory,
  type TestStepWorkflow,
} from "../../../src/testing/run-workflow-in-memory.ts";
import type { TestedRun } from "../../../src/testing/tested-run.ts";
import { unmarked } from "../unmarked.ts";
import { flowEnd, runSteps, untilOver } from "./steps-run.ts";

const workflow: TestStepWorkflow = {
  agents: [{ id: "planner" }, { id: "coder" }],
  steps: [
    {
      id: "plan",
      type: "agent",
      settings: { agent: "planner" },
      routes: { next: "approve" },
      output: "design",
    },
    {
      id: "approve",
      type: "approval",
      settings: { message: "Build {{context.plan.files}}?" },
      routes: { on_approve: "code" },
    },
    {
      id: "code",
      type: "agent",
      settings: { agent: "coder", prompt: "Build {{plan.files}} or {{context.design.files}}" },
      input: "plan",
    },
  ],
};
const start = { turns: { planner: [{ say: '{"files":["a.ts"]}' }], coder: [{ say: "built" }] } };

async function approval(run: TestedRun) {
  return run.event("approval-requested");
}

test("what a person edits takes the place of what was shown, under all of its names, and the history keeps both [STP-8]", async () => {
  const run = await startStepsInMemory(workflow, start);
  const asked = await approval(run);
  expect(asked).toMatchObject({ message: 'Build ["a.ts"]?', show: { files: ["a.ts"] } });
  const edited = { files: ["b.ts"] };
  await run.run.command({
    kind: "resolve-approval",
    approval: asked.approval,
    decision: "approved",
    comment: "use CSS variables",
    edited,
  });
  const end = flowEnd(await run.over());
  expect(end.outcome).toBe("completed");
  expect(end.flow.context).toMatchObject({
    plan: edited,
    design: edited,
    approve: { approved: true, comment: "use CSS variables", edited, by: "user" },
  });
  const prompt = end.all("turn-started").at(-1);
  expect(prompt).toMatchObject({ agent: "coder" });
  const [, told] = end.all("operation-scheduled").filter(({ kind }) => kind === "turn");
  const { prompt: said } = Object(told?.input);
  expect(unmarked(String(said))).toContain('Build ["b.ts"] or ["b.ts"]');
  expect(JSON.stringify(told?.input)).toContain("use CSS variables");
  expect(end.all("step-completed")[0]).toMatchObject({
    step: "plan",
    output: '{"files":["a.ts"]}',
  });
});

test("what a person edits and then rejects changes nothing of what was shown [STP-8]", async () => {
  const [plan, approve, code] = workflow.steps;
  if (plan === undefined || approve === undefined || code === undefined) throw new Error("steps");
  const rejected = { ...approve, routes: { on_reject: "code" } };
  const run = await startStepsInMemory({ ...workflow, steps: [plan, rejected, code] }, start);
  await run.run.command({
    kind: "resolve-approval",
    approval: (await approval(run)).approval,
    decision: "rejected",
    edited: { files: ["b.ts"] },
  });
  const end = flowEnd(await run.over());
  expect(end.outcome).toBe("completed");
  expect(end.flow.context).toMatchObject({
    plan: { files: ["a.ts"] },
    design: { files: ["a.ts"] },
    approve: { approved: false },
  });
});

test("a comment is not said twice when the prompt shows it, and is said when the prompt only looks at the decision [STP-8]", async () => {
  const of = async (prompt: string) => {
    const [plan, approve, code] = workflow.steps;
    if (plan === undefined || approve === undefined || code === undefined) throw new Error("steps");
    const steps = [plan, approve, { ...code, settings: { agent: "coder", prompt } }];
    const run = await startStepsInMemory({ ...workflow, steps }, start);
    const { approval: id } = await approval(run);
    await run.run.command({
      kind: "resolve-approval",
      approval: id,
      decision: "approved",
      comment: "mind the gap",
    });
    const end = await run.over();
    const [, told] = end.all("operation-scheduled").filter(({ kind }) => kind === "turn");
    return JSON.stringify(told?.input).split("mind the gap").length - 1;
  };
  expect(await of("{{context.approve.comment}}")).toBe(1);
  expect(
    await of("{{#if context.approve.approved}}go{{/if}} {{context.approve-plan.comment}}"),
  ).toBe(1);
});

test("an approval and a comment look through conditions and waits, on the path and in a loop [STP-8]", async () => {
  const check = { type: "condition", settings: { condition: "true" } };
  const run = await startStepsInMemory(
    {
      agents: [{ id: "coder" }],
      steps: [
        { id: "is-ready", ...check, routes: { then: "plan" } },
        {
          id: "plan",
          type: "transform",
          settings: { transform: "['a.ts']" },
          routes: { next: "is-risky" },
        },
        { id: "is-risky", ...check, routes: { then: "pause" } },
        { id: "pause", type: "wait", settings: { duration_ms: 0 }, routes: { next: "approve" } },
        { id: "approve", type: "approval", routes: { on_approve: "is-late" } },
        { id: "is-late", ...check, routes: { then: "code" } },
        { id: "code", type: "agent", settings: { agent: "coder" }, routes: { next: "again" } },
        {
          id: "again",
          type: "loop",
          settings: { times: 1 },
          steps: [
            { id: "draft", type: "transform", settings: { transform: "'draft'" } },
            { id: "rest", type: "wait", settings: { duration_ms: 0 } },
            { id: "ok", type: "approval" },
          ],
        },
      ],
    },
    { turns: { coder: [{ expect: "small steps", say: "built" }] } },
  );
  const first = await approval(run);
  expect(first.show).toEqual(["a.ts"]);
  const decide = (id: string, edited?: Json) =>
    run.run.command({
      kind: "resolve-approval",
      approval: id,
      decision: "approved",
      comment: "small steps",
      ...(edited === undefined ? {} : { edited }),
    });
  await decide(first.approval, ["b.ts"]);
  const second = await run.event("approval-requested", ({ approval: id }) => id !== first.approval);
  expect(second.show).toBe("draft");
  await decide(second.approval);
  const end = flowEnd(await run.over());
  expect(end.outcome).toBe("completed");
  expect(end.flow.context["plan"]).toEqual(["b.ts"]);
  expect(end.flow.context["is-risky"]).toEqual({ result: true });
});

test("an approval inside of a loop shows the step before it there, and its edit counts in the next round [STP-8]", async () => {
  const loop: TestStepWorkflow = {
    agents: [{ id: "writer", backend: "function" }],
    steps: [
      { id: "before", type: "transform", settings: { transform: "1" }, routes: { next: "refine" } },
      {
        id: "refine",
        type: "loop",
        settings: { until: "context.ok.comment === 'good'", max_iterations: 3 },
        steps: [
          { id: "draft", type: "agent", settings: { agent: "writer" } },
          { id: "ok", type: "approval" },
        ],
      },
    ],
  };
  const seen: unknown[] = [];
  const run = await startStepsInMemory(loop, {
    functions: {
      writer: ({ task }) => {
        const { context } = JSON.parse(task);
        seen.push(context.draft);
        return { text: `draft ${seen.length}` };
      },
    },
  });
  const first = await approval(run);
  expect(first.show).toEqual({ text: "draft 1" });
  await run.run.command({
    kind: "resolve-approval",
    approval: first.approval,
    decision: "approved",
    comment: "better",
    edited: { text: "edited" },
  });
  const second = await run.event("approval-requested", ({ approval: id }) => id !== first.approval);
  expect(second.show).toEqual({ text: "draft 2" });
  await run.run.command({
    kind: "resolve-approval",
    approval: second.approval,
    decision: "approved",
    comment: "good",
  });
  const end = flowEnd(await run.over());
  expect(seen).toEqual([undefined, { text: "edited" }]);
  expect(end.flow.context["draft"]).toEqual({ text: "draft 2" });
  expect(end.outcome).toBe("completed");
});

test("of paths side by side, an approval shows the step before it on its own path [STP-8, STP-13]", async () => {
  const run = await startStepsInMemory(
    {
      parallel: true,
      agents: [{ id: "a" }, { id: "b" }],
      steps: [
        { id: "slow", type: "agent", settings: { agent: "a" }, routes: { next: "ask" } },
        { id: "ask", type: "approval" },
        { id: "other", type: "agent", settings: { agent: "b" }, routes: { next: "more" } },
        { id: "more", type: "transform", settings: { transform: "'of the other path'" } },
      ],
    },
    { turns: { a: [{ say: "mine", after: "20ms" }], b: [{ say: "theirs" }] } },
  );
  const asked = await approval(run);
  expect(asked.show).toEqual({ result: "mine" });
  await run.run.command({
    kind: "resolve-approval",
    approval: asked.approval,
    decision: "approved",
  });
  expect((await run.over()).outcome).toBe("completed");
});

test("what nobody decides in time goes where on_timeout says, also when nobody ran it at that time [STP-8, ENG-18]", async () => {
  for (const [onTimeout, outcome, path] of [
    ["reject", "rejected", ["approve"]],
    ["approve", "completed", ["approve", "yes"]],
    ["late", "completed", ["approve", "late"]],
  ] as const) {
    const clock = createManualClock();
    const store = createMemoryStore();
    const routes = { on_approve: "yes", ...(onTimeout === "late" ? { on_timeout: "late" } : {}) };
    const settings = { on_timeout: onTimeout };
    const run = await startStepsInMemory(
      {
        maxDurationMs: 1000,
        steps: [
          { id: "approve", type: "approval", timeoutMs: 60_000, settings, routes },
          { id: "yes", type: "transform", settings: { transform: "1" } },
          { id: "late", type: "transform", settings: { transform: "2" } },
        ],
      },
      { clock, store },
    );
    const asked = await approval(run);
    await clock.advance(30_000);
    await run.run.suspend();
    await run.over();
    await clock.advance(3_600_000);
    const end = await untilOver(await resumeInMemory(run.run.id, { clock, store }), clock);
    expect([end.outcome, end.flow.path]).toEqual([outcome, path]);
    expect(end.all("approval-resolved")).toMatchObject([
      { approval: asked.approval, by: "timeout" },
    ]);
    expect(end.tookMs).toBe(0);
  }
});

test("a rejection inside of a parallel fails that step, and the run is rejected unless something handles it [STP-7, STP-8, ENG-11]", async () => {
  const asking = (routes: { readonly [key: string]: string }): TestStepWorkflow => ({
    steps: [
      {
        id: "both",
        type: "parallel",
        routes,
        steps: [
          { id: "ask", type: "approval" },
          { id: "value", type: "transform", settings: { transform: "1" } },
        ],
      },
      { id: "after", type: "transform", settings: { transform: "context.ask.approved" } },
    ],
  });
  const rejecting = { approvals: "none" } as const;
  const open = await runSteps(asking({ next: "after" }), rejecting);
  expect([open.outcome, open.flow.output]).toEqual(["rejected", false]);
  expect(open.reason).toMatch(/ask.*rejected by --approve/);
  const handled = await runSteps(asking({ on_error: "after" }), rejecting);
  expect([handled.outcome, handled.flow.output]).toEqual(["completed", false]);
  const approved = await runSteps(asking({ next: "after" }), { approvals: "all" });
  expect([approved.outcome, approved.flow.output]).toEqual(["completed", true]);
});

test("a skipped approval goes on as if it had been approved [STP-2, STP-8]", async () => {
  const end = await runSteps({
    steps: [
      { id: "ask", type: "approval", when: "false", routes: { on_approve: "build" } },
      { id: "build", type: "transform", settings: { transform: "'built'" } },
    ],
  });
  expect([end.outcome, end.flow.output]).toEqual(["completed", "built"]);
});
