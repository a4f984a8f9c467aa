import type { Json } from "../../foundation/json.ts";
import { isJsonArray } from "../../foundation/json.ts";

/** How large a value is. */
export interface JsonMeasure {
  /** About as many as it has as JSON. */
  readonly chars: number;
  /** Values in it, itself included. */
  readonly parts: number;
}

const MAX_LEVELS = 500;

/**
 * Measures a value without building its text; stops soon after one of the limits is passed. A value with more
 * than 500 levels, which recursion may not be able to follow, is infinitely large.
 */
export function measureJson(value: Json, most: JsonMeasure): JsonMeasure {
  let chars = 0;
  let parts = 0;
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_LEVELS) return { chars: Infinity, parts: Infinity };
    const next: Json[] = [];
    for (const item of level) {
      chars += charsOf(item);
      parts += 1;
      if (chars > most.chars || parts > most.parts) return { chars, parts };
      if (item === null || typeof item !== "object") continue;
      if (!isJsonArray(item)) for (const key of Object.keys(item)) chars += key.length + 3;
      for (const member of isJsonArray(item) ? item : Object.values(item)) next.push(member);
    }
    level = next;
  }
  return { chars, parts };
}

function charsOf(value: Json): number {
  if (typeof value === "string") return value.length + 3;
  if (typeof value === "number") return 2;
  return value !== null && typeof value === "object" ? 2 : 5;
}
