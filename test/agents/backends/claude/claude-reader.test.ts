import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TurnUpdate } from "../../../../src/contracts/backend.ts";
import { replay } from "../transcripts/replay.ts";
import { createTranscriptReader, NOW_MS, told, transcript } from "./transcript.ts";

const names = readdirSync(join(import.meta.dirname, "transcripts")).map((file) =>
  file.replace(".jsonl", ""),
);

/** What the transcript of one turn tells. */
function read(name: string, said = 1): readonly TurnUpdate[] {
  return told(replay(() => createTranscriptReader(said), [transcript(name)]));
}

/** What lines tell that no transcript has. */
function readLines(...lines: readonly object[]): readonly TurnUpdate[] {
  const reader = createTranscriptReader();
  return told(lines.flatMap((line) => reader.take(JSON.stringify(line))));
}

const oneAnswer = { inputTokens: 1200, cachedTokens: 1000, outputTokens: 50, costUsd: 0.00165 };
const usage = (answers: number): TurnUpdate => ({
  type: "usage",
  usage: {
    inputTokens: answers * oneAnswer.inputTokens,
    cachedTokens: answers * oneAnswer.cachedTokens,
    outputTokens: answers * oneAnswer.outputTokens,
    costUsd: expect.closeTo(answers * oneAnswer.costUsd, 9),
  },
});
const nothingUsed: TurnUpdate = { type: "usage", usage: {} };
const result = { type: "result", subtype: "success", is_error: false, result: "done" };

test("a turn is told by its text, its use and one end [AGT-2, AGT-15]", () => {
  const text = "all is done, see above";
  expect(read("text")).toEqual([
    { type: "text-delta", text },
    usage(1),
    { type: "stop", reason: "end_turn", text },
  ]);
});

test("tools are told with their results, and files only when they were changed [AGT-2]", () => {
  const [file, missing] = ["/project/new.txt", "/project/no.txt"];
  const updates = read("tools");
  const calls = updates.flatMap((update) => (update.type === "tool-call" ? [update] : []));
  expect(calls.map(({ tool, input }) => [tool, input])).toEqual([
    ["Bash", { command: "echo made > f", description: "a scripted command" }],
    ["Bash", { command: "touch deny", description: "a scripted command" }],
    ["Write", { file_path: file, content: "abc\n" }],
    ["Edit", { file_path: file, old_string: "abc", new_string: "def", replace_all: false }],
    ["Edit", { file_path: missing, old_string: "abc", new_string: "def", replace_all: false }],
    ["Bash", { command: "exit 3", description: "a scripted command" }],
  ]);
  const results = updates.flatMap((update) => (update.type === "tool-result" ? [update] : []));
  expect(results.map(({ call }) => call)).toEqual(calls.map(({ call }) => call));
  expect(results.map(({ isError, result: said }) => [isError, said])).toEqual([
    [false, "(Bash completed with no output)"],
    [true, "ask bob first"],
    [false, expect.stringContaining("created")],
    [false, expect.stringContaining("updated")],
    [true, expect.stringContaining("not exist")],
    [true, expect.stringContaining("Exit code 3")],
  ]);
  expect(updates.filter(({ type }) => type === "file-change")).toEqual([
    { type: "file-change", path: file, kind: "create" },
    { type: "file-change", path: file, kind: "edit" },
  ]);
  const texts = updates.flatMap((update) => (update.type === "text-delta" ? [update.text] : []));
  expect(texts).toEqual(["looking", "\nDONE"]);
  expect(updates.slice(-2)).toEqual([usage(5), { type: "stop", reason: "end_turn", text: "DONE" }]);
});

test("what an agent of the agent does is told, what it says is not, and its use is counted [AGT-2, AGT-15]", () => {
  expect(read("subagent")).toEqual([
    expect.objectContaining({ type: "tool-call", tool: "Task" }),
    expect.objectContaining({ type: "tool-call", tool: "Bash" }),
    expect.objectContaining({ type: "tool-result", tool: "Bash", result: "inner" }),
    expect.objectContaining({
      type: "tool-result",
      tool: "Task",
      result: expect.stringContaining("the inner answer"),
    }),
    { type: "text-delta", text: "the outer answer" },
    usage(4),
    { type: "stop", reason: "end_turn", text: "the outer answer" },
  ]);
});

test("what is said too late to be answered gets its answer in the same turn [AGT-2]", () => {
  expect(read("steered-late", 3).slice(-5)).toEqual([
    { type: "text-delta", text: "first answer" },
    usage(2),
    { type: "text-delta", text: "\nsecond answer" },
    usage(1),
    { type: "stop", reason: "end_turn", text: "second answer" },
  ]);
});

test("a result that answers something else does not end the turn [AGT-2]", () => {
  const reader = createTranscriptReader();
  const stray = { ...result, user_message_uuids: ["00000000-0000-4000-8000-000000000009"] };
  expect(reader.take(JSON.stringify(stray))).toEqual([nothingUsed]);
  expect(told(reader.take(JSON.stringify(result))).at(-1)).toEqual({
    type: "stop",
    reason: "end_turn",
    text: "done",
  });
});

test.for([
  ["error-400", "BACKEND_PROVIDER_REFUSED", "API Error: 400 scripted 400"],
  ["error-401", "BACKEND_NOT_SIGNED_IN", "API Error: 401 scripted 401"],
  ["error-429", "BACKEND_OVERLOADED", "scripted 429"],
  ["error-500", "BACKEND_PROVIDER_FAILED", "API Error: 500 scripted 500"],
  ["error-529", "BACKEND_OVERLOADED", "API Error: 529 scripted 529"],
  ["signed-out", "BACKEND_NOT_SIGNED_IN", "Not logged in"],
  ["cut", "BACKEND_PROVIDER_FAILED", "Connection to the API was lost"],
] as const)(
  "%s, reported as a success, is the error %s [AGT-2, LOOP-5]",
  ([name, code, problem]) => {
    const updates = read(name);
    expect(updates.at(-1)).toMatchObject({
      type: "error",
      error: { code, message: expect.stringContaining(problem) },
    });
    expect(updates.at(-1)).not.toHaveProperty("sessionLost");
    expect(updates.filter(({ type }) => type === "text-delta")).toEqual([]);
    expect(updates.at(-2)).toEqual(nothingUsed);
  },
);

test("each wait before a model is asked again is told, with its reason [AGT-8.stuck, LOOP-5]", () => {
  const retries = (name: string) =>
    read(name).flatMap((update) => (update.type === "retrying" ? [update] : []));
  expect(retries("recovered")).toEqual([
    { type: "retrying", reason: "server-error", delayMs: expect.any(Number) },
  ]);
  expect(read("recovered").at(-1)).toEqual({ type: "stop", reason: "end_turn", text: "after all" });
  expect(retries("error-429").map(({ reason }) => reason)).toEqual(["rate-limit", "rate-limit"]);
  expect(retries("error-529").map(({ reason }) => reason)).toEqual(["overloaded", "overloaded"]);
  expect(retries("cut").map(({ reason }) => reason)).toEqual(["connection", "connection"]);
});

test("how long the provider wants to be left alone is in the error, the program's own waits are not [LOOP-5]", () => {
  const detailsOf = (updates: readonly TurnUpdate[]) => {
    const end = updates.at(-1);
    return end?.type === "error" ? end.error.details : undefined;
  };
  // It was told to wait 2 s, and adds something of its own.
  const asked = detailsOf(read("error-429"));
  expect(asked).toMatchObject({ status: 429, retryAfterMs: expect.any(Number) });
  expect(detailsOf(read("error-529"))).not.toHaveProperty("retryAfterMs");
  const info = { status: "rejected", resetsAt: NOW_MS / 1000 + 3600 };
  const failed = { ...result, is_error: true, api_error_status: 429, result: "limit reached" };
  const limited = readLines({ type: "rate_limit_event", rate_limit_info: info }, failed);
  expect(detailsOf(limited)).toMatchObject({ status: 429, retryAfterMs: 3_600_000 });
});

test("limits, a refusal and a full answer are stops with their reason [AGT-2]", () => {
  const endOf = (name: string) => read(name).at(-1);
  expect(endOf("max-turns")).toEqual({ type: "stop", reason: "max_turns" });
  expect(endOf("budget")).toEqual({ type: "stop", reason: "max_turns" });
  expect(endOf("declined")).toMatchObject({ type: "stop", reason: "refusal" });
  const full = readLines({ ...result, stop_reason: "max_tokens" });
  expect(full.at(-1)).toEqual({ type: "stop", reason: "max_tokens", text: "done" });
});

test("an interrupted turn tells what it used, and its tools as failed [AGT-2, AGT-15]", () => {
  expect(read("interrupted")).toEqual([
    { type: "text-delta", text: expect.any(String) },
    { type: "usage", usage: expect.objectContaining({ outputTokens: expect.any(Number) }) },
    expect.objectContaining({ type: "error" }),
  ]);
  const tool = read("interrupted-tool").filter(({ type }) => type === "tool-result");
  expect(tool).toEqual([expect.objectContaining({ tool: "Bash", isError: true })]);
});

test("a model without a known price has no cost [AGT-15]", () => {
  const { costUsd: _, ...tokens } = oneAnswer;
  expect(read("unknown-model")).toContainEqual({ type: "usage", usage: tokens });
});

test("thoughts are told apart from what is said [AGT-2]", () => {
  const event = { type: "content_block_delta", delta: { type: "thinking_delta", thinking: "hm" } };
  expect(readLines({ type: "stream_event", event })).toEqual([{ type: "thinking", text: "hm" }]);
});

test("an answer that was not streamed is told when it is there [AGT-2]", () => {
  const message = { id: "m", model: "claude", content: [{ type: "text", text: "all at once" }] };
  expect(readLines({ type: "assistant", message })).toEqual([
    { type: "text-delta", text: "all at once" },
  ]);
});

test.for(names)("%s, broken off anywhere before its result, has no end [AGT-2, AGT-6]", (name) => {
  const lines = transcript(name).toString().split("\n");
  const reader = createTranscriptReader(3);
  const last = lines.findLastIndex((line) => line.includes('"type":"result"'));
  const updates = lines.slice(0, last).flatMap((line) => reader.take(line));
  expect(updates.filter(({ type }) => type === "stop" || type === "error")).toEqual([]);
});

test("lines that are none of its own tell nothing [AGT-6]", () => {
  const reader = createTranscriptReader();
  const others = ["", "npm warn", "null", "[]", '{"type":"keep_alive"}', '{"type":"result', "{}"];
  expect(others.flatMap((line) => reader.take(line))).toEqual([]);
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  const call = `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"c","name":"Bash","input":${deep}}]}}`;
  expect(told(reader.take(call))).toEqual([
    { type: "tool-call", call: "c", tool: "Bash", input: null },
  ]);
});
