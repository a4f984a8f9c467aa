import { isJsonArray } from "../../../foundation/json.ts";
import { applyToItem } from "./array-rules.ts";
import type { Application, NamedRules } from "./evaluation.ts";
import { applyToMembers } from "./object-rules.ts";
import { isObjectValue } from "./place.ts";

/** Keywords of what no other has looked at; they come last. */
export const unevaluatedRules: NamedRules = [
  ["unevaluatedItems", checkItems],
  ["unevaluatedProperties", checkProperties],
];

function checkItems(application: Application, schema: unknown): boolean {
  const { place, seen } = application;
  if (!isJsonArray(place.value)) return true;
  let fits = true;
  for (let index = 0; index < place.value.length; index += 1)
    if (!seen.items.has(index) && !applyToItem(application, index, schema)) fits = false;
  return fits;
}

function checkProperties(application: Application, schema: unknown): boolean {
  const { place, seen } = application;
  if (!isObjectValue(place.value)) return true;
  const names = Object.keys(place.value).filter((name) => !seen.names.has(name));
  return applyToMembers(application, names, schema);
}
