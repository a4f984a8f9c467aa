import { canonicalJson, isJsonArray, type Json } from "../../../foundation/json.ts";
import type { Application, NamedRules } from "./evaluation.ts";
import { foundText, shortJson } from "./mismatch.ts";
import { isObjectValue } from "./place.ts";

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
