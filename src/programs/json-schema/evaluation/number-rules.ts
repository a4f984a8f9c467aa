import type { KeywordRule, NamedRules } from "./evaluation.ts";
import { foundText, shortJson } from "./mismatch.ts";

/** Keywords of numbers. */
export const numberRules: NamedRules = [
  ["minimum", comparison("at least", (value, limit) => value >= limit)],
  ["maximum", comparison("at most", (value, limit) => value <= limit)],
  ["exclusiveMinimum", comparison("above", (value, limit) => value > limit)],
  ["exclusiveMaximum", comparison("below", (value, limit) => value < limit)],
  ["multipleOf", comparison("a multiple of", isMultiple)],
];

function comparison(words: string, holds: (value: number, limit: number) => boolean): KeywordRule {
  return ({ place: { value }, fail }, limit) => {
    if (typeof value !== "number" || typeof limit !== "number" || holds(value, limit)) return true;
    return fail(() => `expected a number ${words} ${shortJson(limit)}, found ${foundText(value)}`);
  };
}

/** Exact, as people read decimal numbers: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, factor: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(factor)) return value % factor === 0;
  const [left, right] = [decimalOf(value), decimalOf(factor)];
  const exponent = Math.min(left.exponent, right.exponent);
  const scaled = (number: Decimal) => number.digits * 10n ** BigInt(number.exponent - exponent);
  return scaled(left) % scaled(right) === 0n;
}

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function decimalOf(number: number): Decimal {
  const [mantissa = "0", exponent = "0"] = number.toExponential().split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
