import { isJsonArray, type Json } from "../foundation/json.ts";
import { isSameJson } from "../foundation/same-json.ts";

// What later versions ask for in other words than those that earlier ones have written down, and mean the same by:
// V1 up to 0.1.0 the boundary of data blocks in prompts had 6 characters; since then it has 32.
const EARLIER_BOUNDARY = /(<<<|>>>)data_[0-9a-z]{6}(?=[ \n]|$)/g;
const BOUNDARY = /(<<<|>>>)data_[0-9a-f]{32}(?=[ \n]|$)/g;

/** Whether an earlier version has recorded, in its own words, what is asked for now. */
export function isSameAsEarlier(asked: Json, recorded: Json): boolean {
  const told = withoutMatches(recorded, EARLIER_BOUNDARY);
  // Of this version, or without any: then it is another.
  if (isSameJson(told, recorded)) return false;
  return isSameJson(withoutMatches(asked, BOUNDARY), told);
}

function withoutMatches(value: Json, pattern: RegExp): Json {
  if (typeof value === "string") return value.replace(pattern, "$1");
  if (isJsonArray(value)) return value.map((item) => withoutMatches(item, pattern));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withoutMatches(member, pattern)]),
  );
}
