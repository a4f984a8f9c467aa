import { defineError } from "./errors.ts";

/** A value that survives JSON unchanged. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

export const notJson = defineError("VALUE_NOT_JSON", {
  message: (details: { what: string; found: string }) =>
    `${details.what} cannot be stored: it holds ${details.found}`,
  hint: () => "return plain objects, arrays, strings, finite numbers, booleans or null",
  about:
    "What a program learns or passes on is written to the journal as JSON. Functions, symbols, big integers, NaN, infinities and cycles have no JSON form.",
});

/**
 * The value as JSON gives it back: lone surrogates replaced (SQLite cannot hold them), undefined
 * members dropped, `undefined` itself null. Live values go through here so that replay sees the same.
 * Raises VALUE_NOT_JSON; `what` names the value in that error.
 */
export function toJson(value: unknown, what: string): Json {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value === 0 ? 0 : value;
  if (typeof value !== "object")
    throw notJson({ what, found: `a ${typeof value === "number" ? String(value) : typeof value}` });
  try {
    return copyObject(value, { what, parents: [] });
  } catch (error) {
    if (error instanceof RangeError)
      throw notJson({ what, found: "too many levels" }, { cause: error });
    throw error;
  }
}

/**
 * As `toJson`, but of what an agent or its program wrote, which is never refused: numbers that JSON has no form for become
 * their names (`1e999` is "Infinity"), and what nests too deeply becomes null.
 */
export function storableJson(value: unknown): Json {
  try {
    return toJson(value, "the value");
  } catch {
    return withoutInfinities(value);
  }
}

function withoutInfinities(value: unknown): Json {
  const named = (_: string, member: unknown) =>
    typeof member === "number" && !Number.isFinite(member) ? String(member) : member;
  try {
    const text = JSON.stringify(value, named);
    return text === undefined ? null : toJson(JSON.parse(text), "the value");
  } catch {
    return null;
  }
}

/** Whether a value is JSON as it stands: `toJson` would make an equal one of it, which takes longer. */
export function isJson(value: unknown): value is Json {
  try {
    return isJsonWithin(value);
  } catch (error) {
    // It has too many levels, or leads back to itself.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function isJsonWithin(value: unknown): boolean {
  if (value === null || typeof value === "boolean") return true;
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object" || "toJSON" in value) return false;
  // Holes have no value, so that they are none here either.
  if (Array.isArray(value)) return Array.from<unknown>(value).every(isJsonWithin);
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isJsonWithin(member));
}

/** JSON text with sorted keys, so that equal values have equal texts. */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  let text = "";
  // Added to, not joined: joining would copy what lies deep once for every level above it.
  if (isJsonArray(value)) {
    for (const item of value) text += `${text === "" ? "" : ","}${canonicalJson(item)}`;
    return `[${text}]`;
  }
  for (const key of Object.keys(value).sort()) {
    const member = canonicalJson(value[key] ?? null);
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${member}`;
  }
  return `{${text}}`;
}

/** Whether a value is an object that is neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Array.isArray for readonly JSON arrays. */
export function isJsonArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Whether a JSON value has members by name. */
export function isJsonObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return isRecord(value);
}

interface Copying {
  readonly what: string;
  readonly parents: object[];
}

function copyObject(value: object, copying: Copying): Json {
  const { what, parents } = copying;
  if (parents.includes(value)) throw notJson({ what, found: "a cycle" });
  if ("toJSON" in value && typeof value.toJSON === "function") return toJson(value.toJSON(), what);
  parents.push(value);
  const copy = Array.isArray(value)
    ? value.map((item: unknown) => copyMember(item, copying))
    : copyMembers(value, copying);
  parents.pop();
  return copy;
}

function copyMembers(value: object, copying: Copying): Json {
  const copy: Record<string, Json> = {};
  // By keys: a pair for each member would be most of what a copy leaves behind.
  for (const key of Object.keys(value)) {
    const member: unknown = Reflect.get(value, key);
    if (member === undefined) continue;
    const copied = copyMember(member, copying);
    // A plain assignment to __proto__ would change the copy's prototype instead of adding a key.
    if (key === "__proto__")
      Object.defineProperty(copy, key, {
        value: copied,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    else copy[key.toWellFormed()] = copied;
  }
  return copy;
}

function copyMember(member: unknown, copying: Copying): Json {
  return typeof member === "object" && member !== null
    ? copyObject(member, copying)
    : toJson(member, copying.what);
}
