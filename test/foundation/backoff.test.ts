import { expect, test } from "vitest";
import { backoffMs } from "../../src/foundation/backoff.ts";

test("each wait is twice the one before, up to a minute", () => {
  const waits = [0, 1, 2, 3, 10].map((failed) =>
    backoffMs({ initialMs: 1000, jitter: 0 }, failed, () => 0.5),
  );
  expect(waits).toEqual([1000, 1000, 2000, 4000, 60_000]);
});

test("growth and the longest wait are as asked for", () => {
  const waits = [1, 2, 3, 4].map((failed) =>
    backoffMs({ initialMs: 10, factor: 3, maxMs: 200, jitter: 0 }, failed, () => 0.5),
  );
  expect(waits).toEqual([10, 30, 90, 200]);
});

test("a fifth of a wait, or what is asked for, is random and never makes it longer", () => {
  const waits = (jitter?: number) =>
    [0, 0.5, 1].map((share) =>
      backoffMs({ initialMs: 1000, ...(jitter === undefined ? {} : { jitter }) }, 1, () => share),
    );
  expect(waits()).toEqual([800, 900, 1000]);
  expect(waits(1)).toEqual([0, 500, 1000]);
  expect(backoffMs({ initialMs: 1, jitter: 0.5 }, 1, () => 0.3)).toBe(1);
});
