import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CodexReader } from "../../../../src/agents/backends/codex/codex-reader.ts";
import type { TurnUpdate } from "../../../../src/contracts/backend.ts";
import { createLineSplitter } from "../../../../src/foundation/line-splitter.ts";

const folder = join(import.meta.dirname, "transcripts");
const bytesOf = (name: string) => readFileSync(join(folder, `${name}.jsonl`));

/** What a reader makes of a transcript that comes in these pieces. */
function read(pieces: readonly Uint8Array[]): readonly TurnUpdate[] {
  const reader = new CodexReader("worker", "thread-1");
  const updates: TurnUpdate[] = [];
  const lines = createLineSplitter(1024 * 1024, (line) => updates.push(...reader.take(line)));
  for (const piece of pieces) lines.push(piece);
  lines.end();
  return updates;
}

/** What a turn tells but that it goes on. */
function told(name: string): readonly TurnUpdate[] {
  return read([bytesOf(name)]).filter(({ type }) => type !== "activity");
}

const usage = {
  type: "usage",
  usage: { inputTokens: 1200, outputTokens: 50, cachedTokens: 1000 },
};
const says = (text: string) => ({ type: "text-delta", text });
const stops = (text: string) => ({ type: "stop", reason: "end_turn", text });
const call = expect.stringMatching(/^call-\d+$/);
const fails = (code: string, retryable?: true) => ({
  type: "error",
  error: expect.objectContaining({ code, ...(retryable && { retryable }) }),
});

test("a text comes in parts and whole [AGT-2]", () => {
  const updates = told("text");
  const deltas = updates.flatMap((update) => (update.type === "text-delta" ? [update.text] : []));
  expect(deltas.join("")).toBe("The parser reads one character.");
  expect(updates.slice(deltas.length)).toEqual([usage, stops("The parser reads one character.")]);
});

test("a command is told as it begins and as it ends, without the shell around it [AGT-2]", () => {
  const bash = { call, tool: "Bash" };
  expect(told("command")).toEqual([
    { type: "tool-call", ...bash, input: { command: "echo made > f; cat f" } },
    { type: "tool-result", ...bash, isError: false, result: "made\n" },
    usage,
    says("done"),
    usage,
    stops("done"),
  ]);
});

test("a denied command is a failed one, and the turn goes on [AGT-2, AGT-10]", () => {
  expect(told("command-denied")).toEqual([
    expect.objectContaining({ type: "tool-call", tool: "Bash" }),
    expect.objectContaining({ type: "tool-result", isError: true, result: "declined" }),
    usage,
    says("then not"),
    usage,
    stops("then not"),
  ]);
});

test("changed files are told one by one: new, edited, moved, deleted [AGT-2]", () => {
  const updates = told("files");
  expect(updates.filter(({ type }) => type === "file-change")).toEqual([
    { type: "file-change", path: "/project/new.txt", kind: "create" },
    { type: "file-change", path: "/project/old.txt", kind: "edit" },
    { type: "file-change", path: "/project/old.txt", kind: "delete" },
    { type: "file-change", path: "/project/moved.txt", kind: "create" },
    { type: "file-change", path: "/project/new.txt", kind: "delete" },
  ]);
  expect(updates[0]).toEqual({
    type: "tool-call",
    call,
    tool: "Edit",
    input: { file_path: "/project/new.txt", further_paths: ["/project/old.txt"] },
  });
});

test("Troupe's own tools have their plain names [AGT-2, MCP-5]", () => {
  const send = { call, tool: "channel_send" };
  expect(told("context-tool").slice(0, 2)).toEqual([
    { type: "tool-call", ...send, input: { message: "hello" } },
    { type: "tool-result", ...send, isError: false, result: '{"id":"posted-1"}' },
  ]);
});

test("an interrupted turn ends as cancelled [AGT-2]", () => {
  expect(told("interrupted").at(-1)).toEqual({ type: "stop", reason: "cancelled" });
});

test("a resumed thread repeats its total, which is not counted again [AGT-15]", () => {
  expect(told("resumed")).toEqual([says("two"), usage, stops("two")]);
});

test("a message that begins and never ends is a model that declined [AGT-2]", () => {
  expect(told("declined")).toEqual([usage, { type: "stop", reason: "refusal", text: "" }]);
});

test.each([
  ["error-400", fails("BACKEND_PROVIDER_REFUSED")],
  ["error-401", fails("BACKEND_NOT_SIGNED_IN")],
  ["error-429", fails("BACKEND_OVERLOADED", true)],
  ["error-500", fails("BACKEND_PROVIDER_FAILED", true)],
  ["cut", fails("BACKEND_PROVIDER_FAILED", true)],
])("%s ends the turn with an error of its own [AGT-2, LOOP-5]", (name, end) => {
  const updates = told(name);
  expect(updates.at(-1)).toEqual(end);
  expect(updates.filter(({ type }) => type === "error")).toHaveLength(1);
});

test("a retry is told, and is not the end [AGT-2, AGT-8.stuck]", () => {
  expect(told("retried")).toEqual([
    { type: "retrying", reason: "rate-limit" },
    says("at last"),
    usage,
    stops("at last"),
  ]);
});

test("a turn of another thread ends nothing [AGT-2]", () => {
  const text = bytesOf("text").toString("utf8");
  const ends = text.split("\n").filter((line) => line.includes('"turn/completed"'));
  const foreign = ends.map((line) => line.replaceAll("thread-1", "thread-2")).join("\n");
  expect(read([Buffer.from(foreign)])).toEqual([]);
});

test.each([
  "no json",
  "[]",
  "{}",
  '{"method":"turn/completed"}',
  '{"method":"item/started","params":{"threadId":"thread-1","item":{"type":"commandExecution"}}}',
  '{"method":"thread/tokenUsage/updated","params":{"threadId":"thread-1","tokenUsage":null}}',
])("%s is passed over [AGT-6]", (line) => {
  expect(new CodexReader("worker", "thread-1").take(line)).toEqual([]);
});

test.each(readdirSync(folder).map((file) => file.replace(/\.jsonl$/, "")))(
  "the transcript %s reads the same when it is cut at every byte [AGT-6]",
  (name) => {
    const bytes = bytesOf(name);
    const whole = read([bytes]);
    expect(whole.filter(({ type }) => type === "stop" || type === "error")).toHaveLength(1);
    expect(read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
  },
);
