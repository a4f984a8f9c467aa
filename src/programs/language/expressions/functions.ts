import type { Json } from "../../../foundation/json.ts";
import { isJsonArray } from "../../../foundation/json.ts";
import { compileRegex } from "../regex.ts";

/** What a function call came to, or which kind of value it wanted. */
export type CallResult =
  | { readonly status: "ok"; readonly value: Json }
  | { readonly status: "wrong-type"; readonly expected: string };

/** Calls a function on values. `exists` is not among them: it looks at a path. Raises EXPRESSION_REGEX. */
export function callFunction(name: string, first: Json, second: Json): CallResult {
  if (name === "length") return lengthOf(first);
  if (name === "contains" && isJsonArray(first)) return ok(first.includes(second));
  if (typeof first !== "string" || typeof second !== "string")
    return wrongType(name === "contains" ? "a text or a list first, then a text" : "two texts");
  if (name === "contains") return ok(first.includes(second));
  if (name === "startsWith") return ok(first.startsWith(second));
  if (name === "endsWith") return ok(first.endsWith(second));
  return ok(compileRegex(second).isFoundIn(first));
}

function lengthOf(value: Json): CallResult {
  if (typeof value === "string") return ok([...value].length);
  if (isJsonArray(value)) return ok(value.length);
  return wrongType("a text or a list");
}

function ok(value: Json): CallResult {
  return { status: "ok", value };
}

function wrongType(expected: string): CallResult {
  return { status: "wrong-type", expected };
}
