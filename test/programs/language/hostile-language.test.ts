import { expect, test } from "vitest";
import { attackExpressions, attackTemplates, EXPRESSION_CODES, TEMPLATE_CODES } from "./attack.ts";

test("500 hostile expressions end with a value or a code, quickly, and reach nothing that is not theirs [WF-5, STP-6, T9, T10]", () => {
  const { codes } = attackExpressions(500, 11);
  expect(codes["none"]).toBeGreaterThan(150);
  expect(Object.keys(codes).filter((code) => !EXPRESSION_CODES.has(code))).toEqual([]);
});

test("500 hostile templates end with a text or a code, quickly, and reach nothing that is not theirs [WF-13, T9, T10]", () => {
  const { codes } = attackTemplates(500, 12);
  expect(codes["none"]).toBeGreaterThan(150);
  expect(Object.keys(codes).filter((code) => !TEMPLATE_CODES.has(code))).toEqual([]);
});
