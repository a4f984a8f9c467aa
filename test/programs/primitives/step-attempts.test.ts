import { expect, test } from "vitest";
import type { Json } from "../../../src/foundation/json.ts";
import { reminderFor } from "../../../src/programs/patterns/conventions/convention.ts";
import type { TestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import {
  runWorkflowInMemory,
  startInMemory,
  type TestStart,
} from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";

const FAIL = { fail: { code: "OVERLOADED", message: "too busy", retryable: true } };

/** One step of a scripted agent. */
function runStep(
  step: Omit<NonNullable<TestWorkflow["steps"]>[number], "id">,
  turns: Json,
  start: TestStart = {},
): Promise<FinishedRun> {
  return runWorkflowInMemory(
    {
      agents: [{ id: "a" }, { id: "b" }, { id: "lead" }],
      steps: [{ id: "s", agent: "a", ...step }],
    },
    { turns, ...start },
  );
}

function outputOf(run: FinishedRun): string | undefined {
  return run.all("step-completed")[0]?.output;
}

test("a failed attempt is tried again, told the error and the end of the previous output [ENG-8, P16]", async () => {
  const prompts: string[] = [];
  const run = await runStep(
    { maxAttempts: 3, prompt: "build it", verify: [{ kind: "outputMatches", pattern: "^house$" }] },
    { a: [FAIL, { say: "DONE: hut" }, { expect: "hut", say: "DONE: house" }] },
    { onTaskAugmented: (_agent, text) => prompts.push(text) },
  );
  expect(run.outcome).toBe("completed");
  expect(run.all("step-retrying").map(({ attempt, error }) => [attempt, error.code])).toEqual([
    [1, "OVERLOADED"],
    [2, "STEP_VERIFICATION_FAILED"],
  ]);
  expect(prompts[1]).toMatch(/error\ntoo busy\n/);
  expect(prompts[2]).toMatch(/previous output\nhut\n/);
  expect(prompts.every((prompt) => prompt.endsWith("## Your Task\n\nbuild it"))).toBe(true);
  expect(run.all("step-completed")).toMatchObject([
    { attempt: 3, reason: "verified", output: "house" },
  ]);
});

test("the delay before a retry doubles [ENG-8]", async () => {
  const clock = createManualClock();
  const run = await startInMemory(
    {
      agents: [{ id: "a" }],
      steps: [{ id: "s", maxAttempts: 4, retryDelayMs: 1000 }],
    },
    { clock, turns: { a: [FAIL] } },
  );
  await clock.advance(999);
  expect(run.run.state.steps.byPath.get("s")?.attempt).toBe(1);
  await clock.advance(1);
  expect(run.run.state.steps.byPath.get("s")?.attempt).toBe(2);
  await clock.advance(1999);
  expect(run.run.state.steps.byPath.get("s")?.attempt).toBe(2);
  await clock.advance(1 + 4000);
  const over = await run.over();
  expect(over.all("step-retrying").map((event) => event.delayMs)).toEqual([1000, 2000, 4000]);
  expect(over.all("step-failed")).toMatchObject([{ attempt: 4, error: { code: "OVERLOADED" } }]);
});

test("the delay before a retry grows to five minutes and no further [ENG-8]", async () => {
  const clock = createManualClock();
  const run = await startInMemory(
    {
      agents: [{ id: "a" }],
      steps: [{ id: "s", maxAttempts: 5, retryDelayMs: 100_000 }],
    },
    { clock, turns: { a: [FAIL] } },
  );
  await clock.advance(1_000_000);
  const over = await run.over();
  expect(over.all("step-retrying").map((event) => event.delayMs)).toEqual([
    100_000, 200_000, 300_000, 300_000,
  ]);
});

test("an error that is not retryable is not tried again by the same agent [ENG-8]", async () => {
  const run = await runStep(
    { maxAttempts: 5 },
    { a: [{ fail: { code: "NO", message: "never", retryable: false } }] },
  );
  expect(run.all("turn-started")).toHaveLength(1);
  expect(run.outcome).toBe("failed");
});

test("after the last attempt the fallbacks try in order, then the escalation; each once, told what went wrong [WF-10.retries, WF-15]", async () => {
  const told = new Map<string, string>();
  const run = await runStep(
    { maxAttempts: 2, fallback: ["b", "a", "b"], escalateTo: "lead" },
    { a: [FAIL], b: [{ say: "FAILED: b cannot either" }], lead: [{ say: "DONE: solved" }] },
    { onTaskAugmented: (agent, text) => told.set(agent, text) },
  );
  expect(run.all("step-started").map((event) => event.agent)).toEqual(["a", "a", "b", "lead"]);
  expect(told.get("b")).toContain("too busy");
  expect(told.get("lead")).toContain("b cannot either");
  expect(run.outcome).toBe("completed");
  expect(run.all("step-completed")).toMatchObject([
    { agent: "lead", output: "solved", attempt: 4 },
  ]);
});

test("an escalation to a fallback, or to the step's own agent, ends [WF-15]", async () => {
  const run = await runStep({ fallback: ["b"], escalateTo: "b" }, { a: [FAIL], b: [FAIL] });
  expect(run.all("step-started").map((event) => event.agent)).toEqual(["a", "b"]);
  const own = await runStep({ fallback: ["b"], escalateTo: "a" }, { a: [FAIL], b: [FAIL] });
  expect(own.all("step-started").map((event) => event.agent)).toEqual(["a", "b"]);
});

test("a turn without the demanded signal is followed by one reminder in the same session, then the step fails [SIG-6]", async () => {
  const run = await runStep({ expects: "READY" }, { a: [{ say: "DONE: not it" }, { say: "hm" }] });
  expect(run.all("turn-started").map(({ turn, session }) => [turn, session])).toEqual([
    [1, "a/s"],
    [2, "a/s"],
  ]);
  expect(run.all("operation-scheduled").at(-1)?.input).toMatchObject({
    prompt: expect.stringContaining("READY: <result>"),
  });
  expect(run.all("step-failed")).toMatchObject([
    { attempt: 1, error: { code: "AGENT_NO_SIGNAL" } },
  ]);
  const reminded = await runStep({}, { a: [{ say: "finished" }, { say: "DONE: finished" }] });
  expect(outputOf(reminded)).toBe("finished");
});

const REMINDED = "You asked me to answer with a line that starts exactly like this:\n\n";

test.each([
  ["the reminder", `${REMINDED}DONE: <result>\nbut tests still fail`],
  ["the form of giving up", "I could write\n\nBLOCKED: <what you wait for>"],
  ["the whole reminder", reminderFor("DONE")],
  ["its task with lines that look like signals", "Write the notes.\n\nDONE: all is well"],
])("repeating %s neither completes nor blocks a step [SIG-3, T4]", async (_what, say) => {
  const prompt = "Write the notes.\nDONE: all is well\nFAILED: or this";
  const run = await runStep({ prompt }, { a: [{ say: "hm" }, { say }] });
  expect(run.all("step-failed")).toMatchObject([{ error: { code: "AGENT_NO_SIGNAL" } }]);
  const heard = run.all("signal-received");
  expect(heard.length).toBeGreaterThan(0);
  expect(heard.every(({ counted }) => !counted)).toBe(true);
});

test("what is checked needs no signal: the check completes it alone, after one turn; FAILED ends it before [SIG-5.verified]", async () => {
  const verify = [{ kind: "outputMatches", pattern: "four" } as const];
  const silent = await runStep({ verify }, { a: [{ say: "two and two are four" }] });
  expect(silent.all("turn-started")).toHaveLength(1);
  expect(silent.all("step-completed")).toMatchObject([
    { output: "two and two are four", reason: "verified" },
  ]);
  const wrong = await runStep({ verify }, { a: [{ say: "DONE: five" }] });
  expect(wrong.all("step-failed")).toMatchObject([{ error: { code: "STEP_VERIFICATION_FAILED" } }]);
  const failed = await runStep({ verify }, { a: [{ say: "FAILED: four is too much" }] });
  expect(failed.all("verification-passed")).toEqual([]);
  expect(failed.all("step-failed")).toMatchObject([{ error: { code: "AGENT_REPORTED_FAILURE" } }]);
});

test("a turn that its own limits cut short is not reminded and says why it failed [SIG-5.order]", async () => {
  const run = await runStep({}, { a: [{ say: "half", stop: "max_turns" }] });
  expect(run.all("turn-started")).toHaveLength(1);
  expect(run.all("step-failed")).toMatchObject([
    { error: { code: "AGENT_TURN_STOPPED", message: expect.stringContaining("max_turns") } },
  ]);
});

test.each<{ title: string; step: object; turns: Json; output: string; reason: string }>([
  {
    title: "the payload of DONE",
    step: {},
    turns: [{ say: "notes\nDONE: plan ready" }],
    output: "plan ready",
    reason: "done-signal",
  },
  {
    title: "the text beside an empty marker",
    step: { expects: "PLAN_COMPLETE" },
    turns: [{ say: "the plan\nPLAN_COMPLETE" }],
    output: "the plan",
    reason: "done-signal",
  },
  {
    title: "the whole text without a demand",
    step: { expects: "none" },
    turns: [{ say: " just text " }],
    output: "just text",
    reason: "exit",
  },
  {
    title: "a structured signal's value",
    step: {},
    turns: [{ do: [{ signal: { kind: "done", value: "by tool" } }], say: "bye" }],
    output: "by tool",
    reason: "done-signal",
  },
])("the output is $title [SIG-5.order, SIG-8]", async ({ step, turns, output, reason }) => {
  const run = await runStep(step, { a: turns });
  expect(run.all("step-completed")).toMatchObject([{ output, reason }]);
});

test("BLOCKED and FAILED beat a DONE of the same turn [SIG-4, SIG-5.order, ENG-11]", async () => {
  const run = await runStep({}, { a: [{ say: "DONE: all\nFAILED: not really" }] });
  expect(run.outcome).toBe("failed");
  expect(run.all("step-failed")).toMatchObject([
    { error: { code: "AGENT_REPORTED_FAILURE", message: expect.stringContaining("not really") } },
  ]);
});

test("what a command prints is its output without one newline, signals are not read from it", async () => {
  const command = ["printf", "FAILED: just a word\\n\\n"];
  const run = await runWorkflowInMemory(
    { agents: [{ id: "a", backend: "command", settings: { command } }] },
    { task: "x" },
  );
  expect(outputOf(run)).toBe("FAILED: just a word\n");
});

test("output over 1 MiB loses its beginning and says so; a schema cannot be checked then", async () => {
  const agents = [{ id: "a", backend: "function" }];
  const huge = `start${"x".repeat(1_100_000)}end`;
  const functions = { a: () => huge };
  const run = await runWorkflowInMemory({ agents, steps: [{ id: "s" }] }, { functions });
  const [completed] = run.all("step-completed");
  expect(completed?.output).toHaveLength(1_048_576);
  expect([completed?.outputTruncated, completed?.output.endsWith("xend")]).toEqual([true, true]);
  const checked = await runWorkflowInMemory(
    { agents, steps: [{ id: "s", verify: [{ kind: "jsonSchema", schema: {} }] }] },
    { functions },
  );
  expect(checked.all("step-failed")).toMatchObject([{ error: { code: "AGENT_OUTPUT_TOO_LARGE" } }]);
});

test("an agent's long text that lost its beginning is flagged, a payload that is whole is not", async () => {
  const long = "x".repeat(1_100_000);
  const cut = await runStep({ expects: "OK" }, { a: [{ say: `${long}\nOK` }] });
  expect(cut.all("step-completed")).toMatchObject([{ outputTruncated: true }]);
  const whole = await runStep({}, { a: [{ say: `${long}\nDONE: short` }] });
  expect(whole.all("step-completed")).toEqual([
    expect.not.objectContaining({ outputTruncated: true }),
  ]);
  expect(outputOf(whole)).toBe("short");
});

test("a step's deadline fails its attempt, which is tried again [ENG-7.step, P12]", async () => {
  const clock = createManualClock();
  const run = await startInMemory(
    { agents: [{ id: "a" }], steps: [{ id: "s", maxAttempts: 2, timeoutMs: 60_000 }] },
    { clock, turns: { a: [{ hang: true }, { say: "DONE: awake" }] } },
  );
  await clock.advance(60_000);
  const over = await run.over();
  expect(over.outcome).toBe("completed");
  expect(over.all("step-retrying")).toMatchObject([{ error: { code: "AGENT_TURN_TIMED_OUT" } }]);
});
