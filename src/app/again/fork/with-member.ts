import { isJsonArray, type Json } from "../../../foundation/json.ts";

/** The names in a path: `context.all-files[0]/check.ok` has three. */
export function readPath(path: string): readonly string[] {
  return path.split(".");
}

/**
 * The value with another one in the place that names and indexes lead to; undefined when there is no such place.
 * Of objects, the last name may be new.
 */
export function withMember(value: Json, path: readonly string[], member: Json): Json | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return member;
  if (value === null || typeof value !== "object") return undefined;
  if (isJsonArray(value)) {
    const index = Number(name);
    const old = /^\d+$/.test(name) ? value[index] : undefined;
    const changed = old === undefined ? undefined : withMember(old, rest, member);
    return changed === undefined ? undefined : value.with(index, changed);
  }
  const old = Object.hasOwn(value, name) ? value[name] : undefined;
  if (old === undefined && rest.length > 0) return undefined;
  const changed = withMember(old ?? null, rest, member);
  if (changed === undefined) return undefined;
  return Object.fromEntries([
    ...Object.entries(value).filter(([key]) => key !== name),
    [name, changed],
  ]);
}
