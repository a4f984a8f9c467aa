import { isJsonArray, isRecord, type Json } from "../../../foundation/json.ts";
import type { ConfigOrigin, ConfigValue } from "./config.ts";

// Lists to which every file adds: nobody's deny rule is lost because another file has rules too.
const JOINED: ReadonlySet<string> = new Set([
  "permissions.allow",
  "permissions.deny",
  "env.allow",
  "sandbox.read",
  "sandbox.write",
  "sandbox.network",
  "secrets",
  "workflows.disabled",
  "plugins",
]);
// What is one choice, however it is written.
const WHOLE: ReadonlySet<string> = new Set(["engine"]);
const SKIPPED: ReadonlySet<string> = new Set(["$schema", "version"]);

/** A value in the order in which the format lists its keys. */
const ORDER: readonly string[] = [
  ...[
    "defaults",
    "backends",
    "roles",
    "permissions",
    "env",
    "sandbox",
    "secrets",
    "limits",
    "collab",
    "budget",
  ],
  ...["prices", "workflows", "plugins", "notify", "engine"],
];

/** What a file says, value by value; `originOf` finds the place of a path. */
export function valuesOf(
  settings: Json,
  originOf: (path: readonly (string | number)[]) => ConfigOrigin,
): readonly ConfigValue[] {
  return flatten([], settings, originOf).filter(({ path }) => !SKIPPED.has(path[0] ?? ""));
}

/** The values of several files, later ones over earlier ones. */
export function mergeValues(layers: readonly (readonly ConfigValue[])[]): readonly ConfigValue[] {
  const merged = new Map<string, ConfigValue>();
  for (const value of layers.flat()) {
    const key = JSON.stringify(value.isItem === true ? [value.path, value.value] : [value.path]);
    merged.set(key, value);
  }
  const rank = ({ path }: ConfigValue) => ORDER.indexOf(path[0] ?? "");
  return [...merged.values()].sort((left, right) => rank(left) - rank(right));
}

/** The values as one object again. */
export function toSettings(values: readonly ConfigValue[]): Json {
  return build(values, 0);
}

function flatten(
  path: readonly string[],
  value: Json,
  originOf: (path: readonly (string | number)[]) => ConfigOrigin,
): readonly ConfigValue[] {
  const name = path.join(".");
  if (isJsonArray(value) && JOINED.has(name))
    return value.map((item, index) => ({
      path,
      value: item,
      isItem: true,
      origin: originOf([...path, index]),
    }));
  if (!isObject(value) || WHOLE.has(name)) return [{ path, value, origin: originOf(path) }];
  return Object.entries(value).flatMap(([key, member]) =>
    flatten([...path, key], member, originOf),
  );
}

function build(values: readonly ConfigValue[], depth: number): Json {
  const [first] = values;
  if (first?.path.length === depth)
    return first.isItem === true ? values.map(({ value }) => value) : first.value;
  const groups = new Map<string, ConfigValue[]>();
  for (const value of values) {
    const key = value.path[depth] ?? "";
    groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  return Object.fromEntries([...groups].map(([key, group]) => [key, build(group, depth + 1)]));
}

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return isRecord(value);
}
