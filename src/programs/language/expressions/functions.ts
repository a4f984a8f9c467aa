import { canonicalJson, isJsonArray, type Json } from "../../../foundation/json.ts";
import { isSameJson } from "../../../foundation/same-json.ts";
import { compileRegex, unicodeClassesIn } from "../regex.ts";
import type { Fuel } from "./fuel.ts";

/** What a function call came to, or which kind of value it wanted. */
export type CallResult =
  | { readonly status: "ok"; readonly value: Json }
  | { readonly status: "wrong-type"; readonly expected: string };

// Compiling takes up to 25 ms for all patterns of one evaluation, and matching as much again.
const UNITS_PER_PATTERN_CHAR = 50;
const UNITS_PER_UNICODE_CLASS = 2000;
const UNITS_PER_INSTRUCTION = 25;
const SMALL_PROGRAM_SIZE = 64;
const WORK_PER_UNIT = { small: 40, large: 10 };

/**
 * Calls a function on values. `exists` is not among them: it looks at a path.
 * Raises EXPRESSION_REGEX, EXPRESSION_REGEX_TEXT_TOO_LARGE, EXPRESSION_LIMIT.
 */
export function callFunction(name: string, [first, second]: Arguments, fuel: Fuel): CallResult {
  if (name === "length") return lengthOf(first, fuel);
  if (name === "contains" && isJsonArray(first)) return ok(isMember(second, first, fuel) ?? false);
  if (typeof first !== "string" || typeof second !== "string")
    return wrongType(name === "contains" ? "a text or a list first, then a text" : "two texts");
  if (name === "matches") return ok(matches(first, second, fuel));
  fuel.spendOnChars(name === "contains" ? first.length + second.length : second.length);
  if (name === "contains") return ok(isFoundIn(second, first));
  return ok(name === "startsWith" ? first.startsWith(second) : first.endsWith(second));
}

type Arguments = readonly [first: Json, second: Json];

function lengthOf(value: Json, fuel: Fuel): CallResult {
  if (isJsonArray(value)) return ok(value.length);
  if (typeof value !== "string") return wrongType("a text or a list");
  fuel.spendOnChars(value.length);
  let length = 0;
  for (const _ of value) length += 1;
  return ok(length);
}

function matches(text: string, pattern: string, fuel: Fuel): boolean {
  fuel.spend(pattern.length * UNITS_PER_PATTERN_CHAR);
  fuel.spend(unicodeClassesIn(pattern) * UNITS_PER_UNICODE_CLASS);
  const regex = compileRegex(pattern);
  fuel.spend(regex.size * UNITS_PER_INSTRUCTION);
  const kind = regex.size <= SMALL_PROGRAM_SIZE ? "small" : "large";
  fuel.spend((text.length * regex.size) / WORK_PER_UNIT[kind]);
  return regex.isFoundIn(text);
}

function ok(value: Json): CallResult {
  return { status: "ok", value };
}

function wrongType(expected: string): CallResult {
  return { status: "wrong-type", expected };
}

// The engine's own search is fast for these and can take the product of both lengths for longer ones.
const MAX_SIMPLE_CHARS = 200;

/** Whether a text occurs in another, in time linear in both. */
export function isFoundIn(wanted: string, text: string): boolean {
  if (wanted.length <= MAX_SIMPLE_CHARS) return text.includes(wanted);
  if (wanted.length > text.length) return false;
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    while (matched > 0 && wanted.charCodeAt(matched) !== character)
      matched = borders[matched - 1] ?? 0;
    if (wanted.charCodeAt(matched) === character) matched += 1;
    if (matched === wanted.length) return true;
  }
  return false;
}

/** For each beginning of a text, how long its longest proper beginning is that it also ends in. */
function bordersOf(wanted: string): Uint32Array {
  const borders = new Uint32Array(wanted.length);
  let matched = 0;
  for (let index = 1; index < wanted.length; index += 1) {
    const character = wanted.charCodeAt(index);
    while (matched > 0 && wanted.charCodeAt(matched) !== character)
      matched = borders[matched - 1] ?? 0;
    if (wanted.charCodeAt(matched) === character) matched += 1;
    borders[index] = matched;
  }
  return borders;
}

/** Whether two values are the same JSON; nothing is converted. Raises EXPRESSION_LIMIT. */
export function areEqual(left: Json, right: Json, fuel: Fuel): boolean {
  if (typeof left === "string" && typeof right === "string")
    fuel.spendOnChars(Math.min(left.length, right.length));
  if (left === right) return true;
  if (!isObject(left) || !isObject(right)) return false;
  fuel.spendOnValue(left, 1);
  fuel.spendOnValue(right, 1);
  return isSameJson(left, right);
}

/** Below 0, 0 or above it for two numbers or two texts; undefined for others. Raises EXPRESSION_LIMIT. */
export function compare(left: Json, right: Json, fuel: Fuel): number | undefined {
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (typeof left !== "string" || typeof right !== "string") return undefined;
  fuel.spendOnChars(Math.min(left.length, right.length));
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Whether a list holds a value, or an object has a name; undefined for other values. Raises EXPRESSION_LIMIT. */
export function isMember(item: Json, container: Json, fuel: Fuel): boolean | undefined {
  if (container === null || typeof container !== "object") return undefined;
  if (!isJsonArray(container))
    return typeof item === "string" ? Object.hasOwn(container, item) : undefined;
  fuel.spendOnChars(container.length);
  if (!isObject(item)) return container.includes(item);
  // Comparing member by member could go through the item as often as the list is long.
  fuel.spendOnValue(item, 4);
  fuel.spendOnValue(container, 4);
  const text = canonicalJson(item);
  return container.some((member) => isObject(member) && canonicalJson(member) === text);
}

function isObject(value: Json): value is readonly Json[] | { readonly [key: string]: Json } {
  return value !== null && typeof value === "object";
}
