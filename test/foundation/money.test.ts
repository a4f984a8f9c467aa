import { expect, test } from "vitest";
import { formatCost, formatUsd, type KnownCost } from "../../src/foundation/money.ts";

test.each([
  [0, "$0.00"],
  [2, "$2.00"],
  [0.425, "$0.42"],
  [0.0013, "$0.0013"],
  [0.00000001, "under $0.0001"],
])("%d is told as %s", (usd, text) => {
  expect(formatUsd(usd)).toBe(text);
});

test.each<[KnownCost, string]>([
  [{ costUsd: 0.42 }, "$0.42"],
  [{ costUsd: 0.42, estimatedUsd: 0.02 }, "~$0.42"],
  [{ costUsd: 0.42, unpricedTurns: 1 }, "$0.42+"],
  [{ costUsd: 0.42, estimatedUsd: 0.42, unpricedTurns: 2 }, "~$0.42+"],
  [{ costUsd: 0, unpricedTurns: 1 }, "$0.00+"],
  [{ costUsd: null, unpricedTurns: 1 }, "unknown"],
  [{ costUsd: null }, ""],
])("%j says how sure it is: %s [AGT-15]", (cost, told) => {
  expect(formatCost(cost)).toBe(told);
});
