import { expect, test } from "vitest";
import { readStructuredSignal } from "../../src/signals/read-signals.ts";

test("a structured signal follows the rules of its text form [SIG-2]", () => {
  expect(readStructuredSignal({ kind: "VOTE", value: "Approve", reason: "fine" })).toEqual({
    signal: { kind: "vote", value: "approve", reason: "fine", by: "tool" },
  });
  expect(readStructuredSignal({ kind: "done", value: "x", confidence: 0.4 })).toEqual({
    signal: { kind: "done", value: "x", confidence: 0.4, by: "tool" },
  });
  const bid = "[confidence=0.4] [cost=3] I can";
  expect(readStructuredSignal({ kind: "bid", value: bid })).toEqual({
    signal: { kind: "bid", value: bid, confidence: 0.4, by: "tool" },
  });
  expect(readStructuredSignal({ kind: "bid", value: bid, confidence: 0.9 })).toEqual({
    signal: { kind: "bid", value: bid, confidence: 0.9, by: "tool" },
  });
  const handoff = { kind: "handoff", value: "billing: refund", reason: "not mine" };
  expect(readStructuredSignal(handoff).signal).toMatchObject({
    value: "billing",
    reason: "not mine",
  });
  expect(Object.keys(readStructuredSignal({ kind: "ack", value: "x" }).signal)).toEqual([
    "kind",
    "value",
    "by",
  ]);
  expect(readStructuredSignal({ kind: "built", value: "" }, ["BUILT"])).toEqual({
    signal: { kind: "BUILT", value: "", by: "tool" },
  });
});

test.each([
  [{ kind: "vote", value: "maybe" }, 'a vote is approve or reject, got "maybe"'],
  [{ kind: "done", value: "", confidence: 2 }, "confidence must be a number from 0 to 1, got 2"],
  [
    { kind: "done", value: "", confidence: Number.NaN },
    "confidence must be a number from 0 to 1, got NaN",
  ],
  [{ kind: "ack", value: "", confidence: 0.5 }, "only done and bid carry a confidence"],
])("%j is refused with a reason [SIG-4]", (given, reason) => {
  expect(readStructuredSignal(given)).toEqual({
    signal: { ...given, by: "tool" },
    refused: reason,
  });
});

test("an unknown kind is refused with the known ones", () => {
  const { refused } = readStructuredSignal({ kind: "finished", value: "" }, ["BUILT"]);
  expect(refused).toMatch(/^unknown kind "finished"; known: BUILT, done, ack, vote, /);
  expect(readStructuredSignal({ kind: "x", value: "" }).refused).toMatch(/; known: done, ack, /);
  const twice = readStructuredSignal({ kind: "x", value: "" }, ["DONE"]).refused ?? "";
  const known = twice.replace(/^.*known: /, "").split(", ");
  expect(known.filter((kind) => kind === "done")).toHaveLength(1);
});
