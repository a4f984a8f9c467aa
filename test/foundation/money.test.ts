import { expect, test } from "vitest";
import { formatUsd } from "../../src/foundation/money.ts";

test.each([
  [0, "$0.00"],
  [2, "$2.00"],
  [0.425, "$0.42"],
  [0.0013, "$0.0013"],
  [0.00000001, "under $0.0001"],
])("%d is told as %s", (usd, text) => {
  expect(formatUsd(usd)).toBe(text);
});
