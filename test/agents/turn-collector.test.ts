import { expect, test } from "vitest";
import { TurnCollector } from "../../src/agents/turn-collector.ts";
import type { TurnUpdate } from "../../src/contracts/backend.ts";
import { MAX_OUTPUT_CHARS } from "../../src/foundation/output-end.ts";

function collect(...updates: readonly TurnUpdate[]) {
  const collector = new TurnCollector("ada", 7, (usage) => ({ ...usage, costUsd: 1 }));
  const facts = updates.flatMap((update) => collector.take(update) ?? []);
  return { collector, facts };
}

const text = (delta: string): TurnUpdate => ({ type: "text-delta", text: delta });
const MANY = "x".repeat(MAX_OUTPUT_CHARS);

test("of what a turn does the journal keeps calls, results and files, each with whose turn it was [AGT-15]", () => {
  const { facts } = collect(
    ...[text("a"), { type: "thinking", text: "b" } as const, { type: "activity" } as const],
    { type: "tool-call", call: "1", tool: "Bash", input: { command: "ls" } },
    { type: "tool-result", call: "1", tool: "Bash", isError: true, result: "no" },
    { type: "file-change", path: "a.ts", kind: "edit" },
    { type: "retrying", reason: "connection" },
    { type: "usage", usage: { inputTokens: 1 } },
    { type: "stop", reason: "end_turn" },
  );
  const at = { agent: "ada", turn: 7 };
  expect(facts).toEqual([
    { type: "tool-called", ...at, call: "1", tool: "Bash", input: { command: "ls" } },
    { type: "tool-returned", ...at, call: "1", tool: "Bash", isError: true, result: "no" },
    { type: "file-changed", ...at, path: "a.ts", kind: "edit" },
  ]);
});

test("of a long result the end is kept, and it is seen that something is left out [T14]", () => {
  const resultOf = (result: string) => {
    const [fact] = collect({
      type: "tool-result",
      call: "1",
      tool: "B",
      isError: false,
      result,
    }).facts;
    return fact?.type === "tool-returned" ? fact.result : undefined;
  };
  expect(resultOf("y".repeat(65_536))).toBe("y".repeat(65_536));
  expect(resultOf(`a${"y".repeat(65_536)}`)).toBe(`…${"y".repeat(65_536)}`);
  expect(resultOf("\ud800")).toBe("\ufffd");
});

test("what a program says at its end stands for all that it said before; of either the end is kept [AGT-15, T14]", () => {
  const textOf = (...updates: readonly TurnUpdate[]) => collect(...updates).collector.text;
  const stop = { type: "stop", reason: "end_turn" } as const;
  expect(textOf(text("a"), text("b"), stop)).toEqual({ text: "ab", truncated: false });
  expect(textOf(text("a"), { ...stop, text: "c" })).toEqual({ text: "c", truncated: false });
  expect(textOf(text("a"), text(MANY), { ...stop, text: "c" })).toEqual({
    ...{ text: "c", truncated: false },
  });
  for (const updates of [[text("a"), text(MANY), stop], [{ ...stop, text: `a${MANY}` }]]) {
    const { text: kept, truncated } = textOf(...updates);
    expect([kept.length <= MAX_OUTPUT_CHARS, kept.endsWith("xx"), truncated]).toEqual([
      ...[true, true, true],
    ]);
  }
});

test("the first end of a stream counts, and usage adds up with its price [AGT-15]", () => {
  const { collector } = collect(
    { type: "usage", usage: { inputTokens: 1 } },
    { type: "usage", usage: { inputTokens: 2 } },
    { type: "error", error: { code: "X", message: "x" }, text: "half" },
    { type: "stop", reason: "end_turn" },
  );
  expect(collector.end).toEqual({
    ...{ status: "failed", error: { code: "X", message: "x" }, sessionLost: false },
  });
  expect(collector.usage).toEqual({ inputTokens: 3, costUsd: 1 });
  expect(collect().collector.end).toBeUndefined();
});
