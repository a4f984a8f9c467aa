import { expect, test } from "vitest";
import type { ShadowPlan } from "../../../src/programs/primitives/shadows/bind-shadows.ts";
import { bindShadows } from "../../../src/programs/primitives/shadows/bind-shadows.ts";
import type { TestAgent, TestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";

/** A dag of these agents with scripted shadows. */
function watched(
  agents: readonly TestAgent[],
  plan: ShadowPlan,
  more: Partial<TestWorkflow> = {},
): TestWorkflow {
  const specs = agents.map((agent) => ({ backend: "script", ...agent }));
  const settings = { systemPrompt: "Look for leaks in {{task}}." };
  const shadows = bindShadows(specs, plan, () => ({ backend: "script", settings }));
  return { ...more, agents: [...specs, ...shadows] };
}

test("a shadow follows a step to its end and has the last word; it never completes or fails the step [MSG-10, WF-10.shadow]", async () => {
  const run = await runWorkflowInMemory(
    watched([{ id: "dev" }], {}, { steps: [{ id: "build", agent: "dev", maxAttempts: 1 }] }),
    {
      task: "app.ts",
      turns: {
        dev: [
          { do: [{ send: { text: "half way" } }], say: "thinking aloud" },
          { say: "DONE: built" },
        ],
        "dev-Shadow": [{ say: "DONE: I say it is done" }, { say: "FAILED: I do not like it" }],
      },
    },
  );
  expect(run.outcome).toBe("completed");
  expect(run.all("step-completed")).toMatchObject([
    { step: "build", output: "built", reason: "done-signal" },
  ]);
  const texts = run.all("message-posted").map(({ from, text }) => `${from}: ${text}`);
  expect(texts.filter((text) => !text.startsWith("dev-Shadow"))).toEqual([
    "dev: half way",
    "dev: DONE: built",
  ]);
  expect(texts.at(-1)).toBe("dev-Shadow: FAILED: I do not like it");
  expect(run.all("agent-spawned").at(-1)?.spec.settings?.["systemPrompt"]).toMatch(
    /^Look for leaks in app\.ts\.\n\n## Watching\n/,
  );
  expect(run.state.steps.byPath.size).toBe(1);
});

test("a shadow that waits for the end of its agent speaks before the run is over [MSG-10]", async () => {
  const run = await runWorkflowInMemory(
    watched([{ id: "a" }, { id: "b" }], { of: ["b"], speakOn: ["SESSION_END"] }),
    {
      task: "x",
      turns: {
        a: [{ say: "DONE: a" }],
        b: [{ say: "DONE: b" }],
        "b-Shadow": [{ say: "all seen" }],
      },
    },
  );
  expect(run.outcome).toBe("completed");
  const texts = run.all("message-posted").map(({ from, text }) => `${from}: ${text}`);
  expect(texts.slice(2)).toEqual([
    "system: The session of b is over: released. It gets nothing any more.",
    "b-Shadow: all seen",
  ]);
  expect(run.result?.output).toBe("## a\n\na\n\n## b\n\nb");
});

test("a signal of a shadow opens no barrier [MSG-10]", async () => {
  const run = await runWorkflowInMemory(
    watched(
      [{ id: "dev" }],
      {},
      {
        steps: [
          { id: "one", agent: "dev", expects: "none" },
          { id: "two", agent: "dev", dependsOn: ["built"], expects: "none" },
        ],
        barriers: [{ id: "built", waitFor: ["dev"], signal: "BUILT", type: "all" }],
      },
    ),
    {
      task: "x",
      turns: {
        dev: [{ do: [{ send: { text: "working" } }], say: "ok" }],
        "dev-Shadow": [{ say: "BUILT" }],
      },
    },
  );
  expect(run.outcome).toBe("failed");
  expect(run.state.steps.byPath.get("two")?.status).toBe("blocked");
});

test("a shadow that fails does not fail the run; the log says so [MSG-10]", async () => {
  const broken = { fail: { code: "X", message: "no model", retryable: false } };
  const run = await runWorkflowInMemory(watched([{ id: "dev" }], {}), {
    task: "x",
    turns: { dev: [{ say: "DONE: fine" }], "dev-Shadow": Array(5).fill(broken) },
  });
  expect(run.outcome).toBe("completed");
  expect(run.all("log").map(({ level, text }) => [level, text])).toEqual([
    [
      "warning",
      '1 message to shadow "dev-Shadow" could not be worked on and went to the dead letters',
    ],
  ]);
});

test("a shadow that never comes to an end is cut off, and the run ends as its steps did [MSG-10]", async () => {
  const run = await runWorkflowInMemory(watched([{ id: "dev" }], {}, { timeoutMs: 1500 }), {
    task: "x",
    turns: { dev: [{ say: "DONE: fine" }], "dev-Shadow": [{ hang: true }] },
  });
  expect(run.outcome).toBe("completed");
  expect(run.all("log").map(({ text }) => text)).toEqual([
    "the shadows had not come to an end after 1 second and were cut off",
  ]);
});

test("a watched agent is told of the shadow that it can ask [CON-1.patterns, MSG-10]", async () => {
  const promptOf = async (plan: ShadowPlan) => {
    const run = await runWorkflowInMemory(watched([{ id: "dev" }, { id: "qa" }], plan), {
      task: "x",
      turns: {
        dev: [{ say: "DONE: d" }],
        qa: [{ say: "DONE: q" }],
        "dev-Shadow": [{ say: "PASS" }, { say: "PASS" }],
      },
    });
    const [first] = run.all("operation-scheduled").filter(({ kind }) => kind === "turn");
    return JSON.stringify(first?.input);
  };
  expect(await promptOf({ of: ["dev"], speakOn: ["REVIEW_REQUEST"] })).toContain(
    "dev-Shadow (watches you; a message of yours with a line REVIEW_REQUEST: WHAT asks it for a review), qa",
  );
  expect(await promptOf({ of: ["qa"], speakOn: ["SESSION_END"] })).not.toContain("-Shadow");
});

test.each([
  ["in a message", { say: "@user is that allowed?" }],
  ["and waits for the answer", { do: [{ ask: "is that allowed?" }], say: "ok" }],
])(
  "a question that a shadow asks %s does not keep the run from its end [MSG-10]",
  async (_how, asking) => {
    const run = await runWorkflowInMemory(watched([{ id: "dev" }], {}, { timeoutMs: 1500 }), {
      task: "x",
      suspendsWhenWaiting: true,
      turns: {
        dev: [{ do: [{ send: { text: "one" } }], say: "DONE: fine" }],
        "dev-Shadow": [asking, { say: "PASS" }],
      },
    });
    expect(run.all("question-asked")).toMatchObject([{ agent: "dev-Shadow" }]);
    expect(run.outcome).toBe("completed");
  },
);
