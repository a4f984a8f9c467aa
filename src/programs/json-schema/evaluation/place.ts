import { isJsonArray, type Json } from "../../../foundation/json.ts";
import type { JsonPath } from "../parts/json-path.ts";

/** An object of data. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** A value of the data with the way that leads to it. */
export interface DataPlace {
  readonly value: Json;
  readonly key: string | number | undefined;
  readonly parent: DataPlace | undefined;
}

/** The whole of the data. */
export function rootPlace(value: Json): DataPlace {
  return { value, key: undefined, parent: undefined };
}

/** A member of an object or an item of a list. */
export function placeBelow(parent: DataPlace, key: string | number, value: Json): DataPlace {
  return { value, key, parent };
}

/** The way from the root. */
export function pathOf(place: DataPlace): JsonPath {
  const path: (string | number)[] = [];
  for (let at: DataPlace | undefined = place; at?.key !== undefined; at = at.parent)
    path.push(at.key);
  return path.reverse();
}

/** Whether a value is an object, and neither a list nor null. */
export function isObjectValue(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !isJsonArray(value);
}
