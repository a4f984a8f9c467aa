import { expect, test } from "vitest";
import { tally, thresholdOf, type Vote } from "../../../src/programs/primitives/tally.ts";

test("votes of strangers count nothing, and of two votes of one voter the later one does", () => {
  const rules = {
    type: "majority",
    electorate: ["a", "b"],
    quorum: 1,
    threshold: 0.5,
    weights: new Map<string, number>(),
  } as const;
  const votes: readonly Vote[] = [
    { agent: "a", vote: "approve" },
    { agent: "x", vote: "approve" },
    { agent: "a", vote: "reject" },
  ];
  expect(tally(votes, rules)).toEqual({
    decision: "rejected",
    approve: 0,
    reject: 1,
    cast: 1,
    quorum: 1,
  });
});

test("0.66 and 0.67 mean two thirds, and so does nothing [PAT-tally.supermajority]", () => {
  expect([undefined, 0.66, 0.67, 0.7].map(thresholdOf)).toEqual([2 / 3, 2 / 3, 2 / 3, 0.7]);
});
