import { expect, test } from "vitest";
import { describeAdvance } from "../../src/fold/describe-advance.ts";
import type { Json } from "../../src/foundation/json.ts";

const RECORD = {
  iteration: 1,
  commitId: "0123456789abcdef",
  changedFiles: ["a.ts", "b.ts"],
  summary: "Split\n  the parser.",
  success: true,
  timestamp: "2026-01-01T00:00:00.000Z",
  tokensUsed: null,
};

test.each<[kind: string, data: Json, sentence: string]>([
  ["iteration-started", { iteration: 0 }, "iteration 0 begins"],
  ["iteration-completed", RECORD, "iteration 1 done, 2 files, commit 0123456: Split the parser."],
  [
    "iteration-completed",
    { ...RECORD, success: false, commitId: null, changedFiles: ["a"], moreFiles: 4, summary: "" },
    "iteration 1 failed, 5 files",
  ],
  ["iteration", { done: 1, of: null, elapsedMs: 90_000, tokens: null }, "1 iteration, 1m30s"],
  [
    "iteration",
    { done: 2, of: 3, elapsedMs: 1500, tokens: 1200 },
    "2 of 3 iterations, 1.5s, 1200 tokens",
  ],
  [
    "until-failed",
    { iteration: 0, command: "npm test", headline: "exit 1: 6 is not 7" },
    "npm test: exit 1: 6 is not 7",
  ],
  ["series-over", { reason: "count" }, "the series is over: all of its iterations are done"],
  ["series-over", { reason: "constructor" }, "the series is over: constructor"],
])("a move %s of a series is told in a sentence", (kind, data, sentence) => {
  expect(describeAdvance({ kind, data })).toBe(sentence);
});

test.each<[kind: string, data: Json, shown: string]>([
  ["iteration-completed", { iteration: 1 }, 'iteration-completed {"iteration":1}'],
  ["iteration", { iteration: 3 }, 'iteration {"iteration":3}'],
  ["toString", null, "toString"],
])("a move %s of another version, or of nobody's, shows what it has", (kind, data, shown) => {
  expect(describeAdvance({ kind, data })).toBe(shown);
});
