import { isJsonArray, type Json } from "../../foundation/json.ts";
import { isSameJson } from "../../foundation/same-json.ts";

/** One place where data differs; absent on the side that lacks it. */
export interface DataChange {
  /** `files[0].path`; empty for the whole. */
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** Where two values differ, as deep as both have the same shape, in the order of the keys. */
export function changesOf(before: Json, after: Json, path = ""): readonly DataChange[] {
  if (isSameJson(before, after)) return [];
  const [old, fresh] = [membersOf(before), membersOf(after)];
  const isList = isJsonArray(before);
  if (old === undefined || fresh === undefined || isList !== isJsonArray(after))
    return [{ path, before, after }];
  return [...new Set([...old.keys(), ...fresh.keys()])].flatMap((key) => {
    const place = isList ? `${path}[${key}]` : [path, key].filter((part) => part !== "").join(".");
    const [left, right] = [old.get(key), fresh.get(key)];
    if (left !== undefined && right !== undefined) return changesOf(left, right, place);
    return [
      {
        path: place,
        ...(left === undefined ? {} : { before: left }),
        ...(right === undefined ? {} : { after: right }),
      },
    ];
  });
}

/** A change in one line: `~ version: 7 → 8`, `+ note: "new"`, `- files[2]: "a.ts"`. */
export function changeLine({ path, before, after }: DataChange, arrow: string): string {
  const place = path === "" ? "" : `${path}: `;
  if (before === undefined) return `+ ${place}${JSON.stringify(after)}`;
  if (after === undefined) return `- ${place}${JSON.stringify(before)}`;
  return `~ ${place}${JSON.stringify(before)} ${arrow} ${JSON.stringify(after)}`;
}

function membersOf(value: Json): ReadonlyMap<string, Json> | undefined {
  if (value === null || typeof value !== "object") return undefined;
  return new Map(Object.entries(value));
}
