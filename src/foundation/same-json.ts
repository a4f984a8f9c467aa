import { isJsonArray, type Json } from "./json.ts";

/** Whether two values are the same JSON; the order of an object's members does not count. */
export function isSameJson(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object") return false;
  if (left === null || right === null) return false;
  if (isJsonArray(left)) return isJsonArray(right) && isSameArray(left, right);
  return !isJsonArray(right) && isSameObject(left, right);
}

interface JsonObject {
  readonly [key: string]: Json;
}

function isSameArray(left: readonly Json[], right: readonly Json[]): boolean {
  if (left.length !== right.length) return false;
  return left.every((item, index) => isSameJson(item, right[index] ?? null));
}

function isSameObject(left: JsonObject, right: JsonObject): boolean {
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every(
    (key) => Object.hasOwn(right, key) && isSameJson(left[key] ?? null, right[key] ?? null),
  );
}
