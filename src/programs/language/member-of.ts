import type { Json } from "../../foundation/json.ts";
import { isJsonArray } from "../../foundation/json.ts";

/** The member of an object by its own name or of a list by its position; undefined when there is none. */
export function memberOf(value: Json, segment: string): Json | undefined {
  if (value === null || typeof value !== "object") return undefined;
  if (isJsonArray(value)) {
    const isPosition = /^\d{1,9}$/.test(segment) && Number(segment) < value.length;
    return isPosition ? value[Number(segment)] : undefined;
  }
  return Object.hasOwn(value, segment) ? value[segment] : undefined;
}

/** What a path leads to, from a value on; undefined when it leads nowhere. */
export function valueAt(value: Json, segments: readonly string[]): Json | undefined {
  let current: Json | undefined = value;
  for (const segment of segments) {
    if (current === undefined) return undefined;
    current = memberOf(current, segment);
  }
  return current;
}

/** Names that can follow a value in a path, for hints; none for lists. */
export function memberNames(value: Json | undefined): readonly string[] {
  if (value === undefined || value === null || typeof value !== "object") return [];
  return isJsonArray(value) ? [] : Object.keys(value);
}
