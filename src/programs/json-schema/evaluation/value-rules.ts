import { canonicalJson, isJsonArray, type Json } from "../../../foundation/json.ts";
import type { Application, KeywordRule, NamedRules } from "./evaluation.ts";
import { foundText, shortJson } from "./mismatch.ts";
import { isObjectValue } from "./place.ts";

/** How many there may be, by the keywords that say it. */
export interface CountBound {
  readonly least?: unknown;
  readonly most?: unknown;
}

/** Which bound a number misses: "at least 2"; undefined for one that keeps both. */
export function missedBound(
  count: number,
  { least = 0, most = Infinity }: CountBound,
): string | undefined {
  if (count < Number(least)) return `at least ${least}`;
  return count > Number(most) ? `at most ${most}` : undefined;
}

const CHARS_PER_UNIT = 8;
const MAX_CHOICES = 20;

/** Keywords of any value. */
export const valueRules: NamedRules = [
  ["type", checkType],
  [
    "enum",
    (application, values) => (Array.isArray(values) ? checkChoice(application, values) : true),
  ],
  ["const", checkConstant],
];

/** The text of a value in one form. Raises EvaluationExceeded. */
export function formOf({ evaluation }: Application, value: Json): string {
  const text = canonicalJson(value);
  evaluation.limit.spend(text.length / CHARS_PER_UNIT);
  return text;
}

function checkType({ place: { value }, fail }: Application, names: unknown): boolean {
  const wanted: readonly unknown[] = Array.isArray(names) ? names : [names];
  if (wanted.some((name) => isOfType(value, name))) return true;
  return fail(() => `expected ${wanted.join(" or ")}, found ${foundText(value)}`);
}

function isOfType(value: Json, name: unknown): boolean {
  switch (name) {
    case "array":
      return isJsonArray(value);
    case "object":
      return isObjectValue(value);
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === name && value !== null;
  }
}

function checkChoice(application: Application, values: readonly unknown[]): boolean {
  const { evaluation, place, fail } = application;
  if (evaluation.choices(values, values).has(formOf(application, place.value))) return true;
  const more = values.length > MAX_CHOICES ? ` or ${values.length - MAX_CHOICES} more` : "";
  return fail(() => {
    const shown = values.slice(0, MAX_CHOICES).map(shortJson).join(", ");
    return `expected one of ${shown}${more}, found ${foundText(place.value)}`;
  });
}

function checkConstant(application: Application, value: unknown): boolean {
  const { evaluation, place, fail, schema } = application;
  if (evaluation.choices(schema, [value]).has(formOf(application, place.value))) return true;
  return fail(() => `expected ${shortJson(value)}, found ${foundText(place.value)}`);
}

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
