import type { Json } from "../../../foundation/json.ts";
import { canonicalJson, isJsonArray } from "../../../foundation/json.ts";
import { isSameJson } from "../../../foundation/same-json.ts";
import type { Fuel } from "./fuel.ts";

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
