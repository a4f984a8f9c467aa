import { expect, test } from "vitest";
import { nextScale, scaleOf, scrollAfter } from "../../src/dashboard/client/model/zoom.ts";

const SCREEN = { width: 1000, height: 500 };

test("a drawing is as large as it can be read, and scrolled when it does not fit then", () => {
  expect(scaleOf("auto", { width: 500, height: 100 }, SCREEN)).toBe(1);
  expect(scaleOf("auto", { width: 1250, height: 100 }, SCREEN)).toBe(0.8);
  expect(scaleOf("auto", { width: 5000, height: 100 }, SCREEN)).toBe(0.85);
});

test("all of a drawing fits in both directions, and is never made larger for that", () => {
  expect(scaleOf("fit", { width: 5000, height: 100 }, SCREEN)).toBe(0.2);
  expect(scaleOf("fit", { width: 500, height: 2000 }, SCREEN)).toBe(0.25);
  expect(scaleOf("fit", { width: 50, height: 50 }, SCREEN)).toBe(1);
});

test("a drawing gets larger and smaller in steps that end somewhere", () => {
  expect(nextScale(0.8, 1)).toBe(0.85);
  expect(nextScale(0.85, -1)).toBe(0.68);
  expect(nextScale(2, 1)).toBe(2);
  expect(nextScale(0.05, -1)).toBe(0.05);
  expect(scaleOf(1.5, { width: 5000, height: 100 }, SCREEN)).toBe(1.5);
});

test("what is in the middle stays there", () => {
  expect(scrollAfter(500, 1000, 2)).toBe(1500);
  expect(scrollAfter(0, 1000, 0.5)).toBe(0);
});
