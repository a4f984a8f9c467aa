import type { Json } from "../../../foundation/json.ts";

/** A value as it stands in a text: texts as they are, null empty, all else as JSON. */
export function valueText(value: Json): string {
  if (value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
