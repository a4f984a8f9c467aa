import { expect, test } from "vitest";
import { createClaudeTurn } from "../../../../src/agents/backends/claude/claude-turn.ts";
import { agentExited } from "../../../../src/agents/backends/parts/errors.ts";
import { TurnGate } from "../../../../src/agents/backends/parts/turn-gate.ts";
import type { AgentSpec } from "../../../../src/contracts/agent.ts";
import type { TurnUpdate } from "../../../../src/contracts/backend.ts";
import type { TurnClient } from "../../../../src/contracts/turn-client.ts";
import { createManualClock, settle } from "../../../../src/testing/manual-clock.ts";
import { createRecordingClient, createTurnRequest } from "../../../../src/testing/turn-request.ts";
import { createPlayedProgram } from "./played-program.ts";

const DONE = { type: "result", subtype: "success", is_error: false, result: "done" };

interface Playing {
  readonly spec?: Partial<AgentSpec>;
  readonly client?: Partial<TurnClient>;
}

/** A turn of agent `worker` on a played program, begun. */
async function begin({ spec, client: answers }: Playing = {}) {
  const program = createPlayedProgram();
  const clock = createManualClock();
  const client = createRecordingClient(answers);
  const controller = new AbortController();
  const request = createTurnRequest({ prompt: "do it", client, signal: controller.signal });
  const session = { spec: { id: "worker", backend: "claude", ...spec } };
  const updates: TurnUpdate[] = [];
  let steer = async (_: string): Promise<boolean> => false;
  const gate = new TurnGate({ agent: "worker", session: "worker" });
  const play = async () => {
    const stream = gate.run(request, (work) => {
      const turn = createClaudeTurn({ work, program, session, clock });
      steer = turn.steer;
      return turn.run();
    });
    for await (const update of stream) updates.push(update);
  };
  const over = play();
  await settle();
  const ask = (tool: string, input: object, subtype = "can_use_tool") => {
    const wanted = { subtype, tool_name: tool, input };
    program.say({ type: "control_request", request_id: "p1", request: wanted });
    return settle();
  };
  const answer = () => program.sent.find(({ type }) => type === "control_response")?.["response"];
  return {
    ...{ program, clock, client, updates, over, ask, answer },
    abort: () => controller.abort(new Error("enough")),
    steer: (text: string) => steer(text),
    isInterrupted: () =>
      program.sent.some((line) => JSON.stringify(line).includes('"subtype":"interrupt"')),
  };
}

test("a turn is told its prompt, and lasts until the result that answers it [AGT-1, AGT-2]", async () => {
  const { program, updates, over } = await begin();
  const [prompt] = program.sent;
  expect(prompt).toMatchObject({
    type: "user",
    message: { content: [{ type: "text", text: "do it" }] },
  });
  program.say({ ...DONE, result: "something else", user_message_uuids: ["another"] });
  program.say({ ...DONE, user_message_uuids: [prompt?.["uuid"]] });
  await over;
  expect(updates.at(-1)).toEqual({ type: "stop", reason: "end_turn", text: "done" });
});

test("a program that is gone without a result has lost the session, whatever its exit code [AGT-2, AGT-7.crash]", async () => {
  const { program, updates, over } = await begin();
  program.leave(agentExited({ agent: "worker", exitCode: 0, stderr: "" }));
  await over;
  expect(updates.at(-1)).toMatchObject({
    type: "error",
    sessionLost: true,
    error: { code: "BACKEND_EXITED" },
  });
});

test("every tool is asked for, and runs as Troupe decides [AGT-10]", async () => {
  const input = { command: "ls" };
  const allowed = await begin();
  await allowed.ask("Bash", input);
  expect(allowed.client.calls).toEqual([
    { method: "requestPermission", input: { tool: "Bash", input } },
  ]);
  expect(allowed.answer()).toEqual({
    subtype: "success",
    request_id: "p1",
    response: { behavior: "allow", updatedInput: input },
  });
  const denied = await begin({
    client: { requestPermission: async () => ({ decision: "denied", comment: "ask bob" }) },
  });
  await denied.ask("Bash", input);
  expect(denied.answer()).toMatchObject({ response: { behavior: "deny", message: "ask bob" } });
});

test("a permission that cannot be asked for is denied, with the reason [AGT-10]", async () => {
  const { ask, answer } = await begin({
    client: { requestPermission: () => Promise.reject(new Error("nobody is there")) },
  });
  await ask("Bash", {});
  expect(answer()).toMatchObject({ response: { behavior: "deny", message: "nobody is there" } });
});

test("Troupe's own tools are asked for nowhere, and tools that the agent lacks are denied [AGT-10, KCK-7]", async () => {
  const own = await begin({ spec: { tools: ["Read", "channel_send"] } });
  await own.ask("mcp__troupe__channel_send", { message: "hi" });
  expect(own.answer()).toMatchObject({ response: { behavior: "allow" } });
  const foreign = await begin({ spec: { tools: ["Read"] } });
  await foreign.ask("Agent", {});
  expect(foreign.answer()).toMatchObject({
    response: { behavior: "deny", message: "This agent may not use Task." },
  });
  expect([...own.client.calls, ...foreign.client.calls]).toEqual([]);
});

test("what the agent asks a person goes to a person, and the answer back [AGT-10]", async () => {
  const options = [{ label: "red", description: "like fire" }, { label: "blue" }];
  const input = { questions: [{ question: "Which color?", header: "Color", options }] };
  const { ask, answer, client } = await begin({ client: { ask: async () => "green" } });
  await ask("AskUserQuestion", input);
  expect(client.calls).toEqual([
    { method: "ask", input: "Which color?\n- red: like fire\n- blue" },
  ]);
  expect(answer()).toMatchObject({
    response: { updatedInput: { ...input, answers: { "Which color?": "green" } } },
  });
});

test("more questions at once than a person reads are asked nowhere [AGT-21.lists]", async () => {
  const { ask, answer, client } = await begin({ client: { ask: async () => "green" } });
  const questions = Array.from({ length: 11 }, (_, index) => ({ question: `Color ${index}?` }));
  await ask("AskUserQuestion", { questions });
  expect(client.calls).toEqual([]);
  expect(answer()).toMatchObject({
    response: { behavior: "deny", message: "Ask at most 10 questions, not 11." },
  });
});

test("a request that Troupe does not know is refused, so that nobody waits for it [AGT-1]", async () => {
  const { ask, answer } = await begin();
  await ask("", {}, "elicitation");
  expect(answer()).toEqual({ subtype: "error", request_id: "p1", error: "not supported" });
});

test("a cancelled turn is interrupted and ends with the result of that, whatever it says [AGT-2, ENG-6]", async () => {
  const { program, clock, updates, over, abort, isInterrupted } = await begin();
  abort();
  await settle();
  expect(isInterrupted()).toBe(true);
  const used = { claude: { inputTokens: 5, outputTokens: 1, costUSD: 0.5, costBasis: "list" } };
  program.say({ ...DONE, model_usage_since_last_result: used });
  await over;
  expect(updates).toEqual([
    {
      type: "usage",
      usage: { inputTokens: 5, cachedTokens: 0, outputTokens: 1, costUsd: 0.5 },
    },
    { type: "stop", reason: "cancelled" },
  ]);
  expect(clock.timerCount).toBe(0);
});

test("a cancelled turn does not wait for a program that ends nothing [AGT-2, ENG-6]", async () => {
  const { clock, updates, over, abort } = await begin();
  abort();
  await clock.advance(2000);
  await over;
  expect(updates).toEqual([{ type: "stop", reason: "cancelled" }]);
});

test("a permission that was waited for when the turn was cancelled is never given [AGT-10, ENG-6]", async () => {
  const { ask, answer, clock, over, abort } = await begin({
    client: { requestPermission: () => new Promise(() => {}) },
  });
  await ask("Bash", {});
  abort();
  await clock.advance(2000);
  await over;
  expect(answer()).toBeUndefined();
});

test("a turn takes further texts until its end, and ends when all are answered [AGT-2]", async () => {
  const { program, updates, over, steer } = await begin();
  expect(await steer("and mind the gap")).toBe(true);
  const [prompt, further] = program.sent.map(({ uuid }) => uuid);
  program.say({ ...DONE, result: "too early", user_message_uuids: [prompt] });
  await settle();
  expect(updates.filter(({ type }) => type === "stop")).toEqual([]);
  program.say({ ...DONE, user_message_uuids: [further] });
  await over;
  expect(updates.at(-1)).toEqual({ type: "stop", reason: "end_turn", text: "done" });
  expect(await steer("too late")).toBe(false);
});

test("signs of activity are passed on once a second, everything else at once [AGT-8.stuck]", async () => {
  const { program, clock, updates, over } = await begin();
  const sign = { type: "system", subtype: "status" };
  for (const delayMs of [0, 400, 400, 400]) {
    await clock.advance(delayMs);
    program.say(sign);
  }
  program.say({ type: "system", subtype: "api_retry", error_status: 429, retry_delay_ms: 500 });
  program.say(DONE);
  await over;
  expect(updates.map(({ type }) => type)).toEqual([
    "activity",
    "activity",
    "retrying",
    "usage",
    "stop",
  ]);
});
