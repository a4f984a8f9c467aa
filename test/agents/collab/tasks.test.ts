import fc from "fast-check";
import { expect, test } from "vitest";
import type { TurnUpdate } from "../../../src/contracts/backend.ts";
import { settle } from "../../../src/testing/manual-clock.ts";
import { casesOf } from "../../cases.ts";
import { playedBackend, said } from "../agents-run.ts";
import { type Call, type Cast, callerOf, lasting, runCast, says } from "./collab-run.ts";
import { checkTasks, taskCases } from "./task-model.ts";

/** Agents in this process: nothing gives up their calls. */
function patient(cast: Cast) {
  return playedBackend(
    async function* (request): AsyncIterable<TurnUpdate> {
      const part = cast[request.agent]?.[request.turn - 1] ?? says("ok");
      const text = await part(callerOf(request), request);
      if (request.signal.aborted) yield { type: "stop", reason: "cancelled" };
      else if (text.startsWith("HALT")) yield { type: "stop", reason: "max_turns", text };
      else yield said(text);
    },
    { toolCallTimeoutMs: Infinity },
  );
}

const task = (more: { readonly [name: string]: string | number | boolean } = {}) => ({
  ...{ description: "look around", prompt: "Where is it?" },
  ...more,
});

/** A run of a lead, whose answers to its calls are handed out. */
function leadRun(calls: (call: Call) => Promise<unknown>, cast: Cast = {}) {
  const answers = Promise.withResolvers<unknown>();
  const lead = async (call: Call) => {
    answers.resolve(await calls(call));
    return "done";
  };
  const run = runCast({}, { backend: patient({ lead: [lead], ...cast }) });
  return { run, answers: answers.promise };
}

const exits = (run: ReturnType<typeof leadRun>["run"]) =>
  run.all("agent-exited").map(({ agent }) => agent);

test("a task is answered with the last words of its subagent, its id and its use, and its place is free [SUB-1, SUB-8]", async () => {
  const { run, answers } = leadRun((call) => call("Task", task()), {
    "general-purpose-1": [says("here")],
  });
  expect(await answers).toEqual({
    agent_id: "general-purpose-1",
    result: { status: "completed", text: "here" },
    usage: { input_tokens: 0, output_tokens: 0 },
  });
  await settle();
  expect(exits(run)).toEqual(["general-purpose-1"]);
  expect(run.owned.state.agents.get("lead")?.lastTurn).toBe(1);
  expect(run.owned.state.mailboxes.get("lead")?.items.size ?? 0).toBe(0);
  expect(run.all("agent-spawned").at(-1)?.spec).toMatchObject({
    ...{ name: "look around", spawnedBy: "lead", subagent: "foreground", demandsSignal: false },
  });
  await run.stop();
});

test("tasks of one answer run at the same time [SUB-1]", async () => {
  const first = lasting("one");
  const second = lasting("two");
  const { run, answers } = leadRun(
    (call) => Promise.all([call("Task", task({ name: "a" })), call("Task", task({ name: "b" }))]),
    { a: [first.part], b: [second.part] },
  );
  await settle();
  expect(run.owned.state.agents.get("b")?.turns.size).toBe(1);
  second.open();
  first.open();
  expect(await answers).toMatchObject([
    { agent_id: "a", result: { text: "one" } },
    { agent_id: "b", result: { text: "two" } },
  ]);
  await run.stop();
});

test("a task that fails is an error with its last words, and its subagent can go on [SUB-1, SUB-5, SUB-8]", async () => {
  const { run, answers } = leadRun(
    async (call) => [
      await call("Task", task({ subagent_type: "Explore" })),
      await call("Task", task({ resume: "Explore-1" })),
    ],
    { "Explore-1": [says("FAILED: the door is locked"), says("open now")] },
  );
  expect(await answers).toMatchObject([
    { error: "COLLAB_TASK_FAILED" },
    { agent_id: "Explore-1", result: { status: "completed", text: "open now" } },
  ]);
  expect(run.backend.opened.map(({ session, resume }) => [session, resume])).toEqual([
    ["lead/main", undefined],
    ["Explore-1/main", undefined],
    ["Explore-1/main", "token of Explore-1/main 2"],
  ]);
  await run.stop();
});

test("a subagent that had its most turns has a result with a note, which is no error [SUB-8]", async () => {
  const { run, answers } = leadRun((call) => call("Task", task({ name: "a", max_turns: 3 })), {
    a: [says("HALT: half of it")],
  });
  expect(await answers).toMatchObject({
    result: {
      status: "completed",
      text: "HALT: half of it\n\n(it stopped: it had its most turns)",
    },
  });
  expect(run.all("agent-spawned").at(-1)?.spec.maxTurns).toBe(3);
  await run.stop();
});

test("in the background it returns at once, and its end wakes whoever gave the task, once [SUB-6]", async () => {
  const work = lasting("found it");
  const { run, answers } = leadRun(
    (call) => call("Task", task({ name: "a", run_in_background: true })),
    { a: [work.part] },
  );
  expect(await answers).toMatchObject({ agent_id: "a", result: { status: "pending_init" } });
  await settle();
  expect(run.owned.state.agents.get("lead")?.turns.size).toBe(0);
  work.open();
  await settle();
  expect(run.backend.prompts.filter(({ agent }) => agent === "lead")).toHaveLength(2);
  expect(run.backend.prompts.at(-1)?.prompt).toContain("found it");
  expect(exits(run)).toEqual(["a"]);
  await run.stop();
});

test("in the background nobody is asked: what would be a question is denied, and said so [SUB-3, SUB-9]", async () => {
  const asked = Promise.withResolvers<unknown>();
  const { run } = leadRun((call) => call("Task", task({ name: "a", run_in_background: true })), {
    a: [
      async (_, { client }) => {
        asked.resolve(await client.requestPermission("Bash", { command: "make" }));
        return "ok";
      },
    ],
  });
  expect(await asked.promise).toEqual({
    decision: "denied",
    comment: "it works in the background, where nobody is asked",
    isRuled: true,
  });
  await run.stop();
});

test("a fork is refused where nothing of the conversation is at hand [SUB-8]", async () => {
  const { run, answers } = leadRun((call) => call("Task", task({ fork: true })));
  expect(await answers).toEqual({ error: "COLLAB_CANNOT_FORK" });
  expect(run.all("agent-spawned")).toHaveLength(1);
  await run.stop();
});

test("whatever order tasks end in, and wherever the owner dies, every completion is told once and every place comes free [SUB-6]", {
  timeout: 60_000,
}, async () => {
  await fc.assert(fc.asyncProperty(taskCases, checkTasks), { numRuns: casesOf(100, 10) });
});
