import { expect, test } from "vitest";
import { Transcripts } from "../../../src/app/runs/transcripts.ts";
import { settle } from "../../../src/testing/manual-clock.ts";
import { playedBackend, said } from "../../agents/agents-run.ts";
import { type Call, callerOf, runCast } from "../../agents/collab/collab-run.ts";

test("a subagent on another backend is told by what its program says of itself; agents of the workflow there have no transcript [SUB-5]", async () => {
  const backend = playedBackend(async function* (request) {
    if (request.agent === "lead") {
      const call: Call = callerOf(request);
      await call("Task", { description: "look", prompt: "Where is it?", name: "scout" });
      return yield said("done");
    }
    yield { type: "tool-call", call: "1", tool: "Bash", input: { command: "ls" } };
    yield { type: "tool-result", call: "1", tool: "Bash", isError: true, result: "no ls" };
    yield said("not here");
  });
  const run = runCast({}, { backend });
  await settle();
  const transcripts = new Transcripts("run_agents", () => undefined);
  const lines = run.events.flatMap((event) => transcripts.take(event));
  expect(new Set(lines.map((line) => line.agent))).toEqual(new Set(["scout"]));
  const told = lines.map(({ json }) => JSON.parse(json));
  expect(told.map(({ type, message }) => [type, message.content])).toEqual([
    ["user", expect.stringContaining("Where is it?")],
    ["assistant", [{ type: "tool_use", id: "1", name: "Bash", input: { command: "ls" } }]],
    ["user", [{ type: "tool_result", tool_use_id: "1", is_error: true, content: "no ls" }]],
    ["assistant", [{ type: "text", text: "not here" }]],
  ]);
  expect(told[0]).toMatchObject({
    ...{ isSidechain: true, agentId: "scout", sessionId: "run_agents/lead/main" },
  });
  expect(transcripts.facts("scout")).toMatchObject({
    ...{ description: "look", type: "general-purpose", parent: "lead", backend: "played" },
  });
  expect(transcripts.facts("lead")).toBeUndefined();
  await run.stop();
});
