import type { Json } from "../../foundation/json.ts";
import { isJsonArray } from "../../foundation/json.ts";

/** What kind of value it is, for errors: `a text`, `a list`; null, true and false by name. */
export function valueKind(value: Json): string {
  if (value === null) return "null";
  if (typeof value === "string") return "a text";
  if (typeof value === "number") return "a number";
  if (typeof value === "boolean") return String(value);
  return isJsonArray(value) ? "a list" : "an object";
}
