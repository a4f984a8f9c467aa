import { isJsonArray } from "../../../foundation/json.ts";
import type { Application, NamedRules } from "./evaluation.ts";
import { placeBelow } from "./place.ts";
import { type CountBound, formOf, missedBound } from "./value-rules.ts";

/** Keywords of lists. */
export const arrayRules: NamedRules = [
  ["minItems", (application, least) => checkCount(application, { least })],
  ["maxItems", (application, most) => checkCount(application, { most })],
  ["uniqueItems", checkUnique],
  ["prefixItems", checkPrefix],
  ["items", checkItems],
  ["contains", checkContains],
];

/** Evaluates items from a position on with a schema, and notes that they were seen. */
export function applyToItem(application: Application, index: number, schema: unknown): boolean {
  const { place, evaluation, seen, apply } = application;
  if (!isJsonArray(place.value)) return true;
  evaluation.limit.spend(1);
  if (evaluation.notesSeen) seen.items.add(index);
  return apply(schema, { place: placeBelow(place, index, place.value[index] ?? null) });
}

function checkCount({ place: { value }, fail }: Application, bound: CountBound): boolean {
  if (!isJsonArray(value)) return true;
  const missed = missedBound(value.length, bound);
  return missed === undefined || fail(`expected ${missed} items, found ${value.length}`);
}

function checkUnique(application: Application, isWanted: unknown): boolean {
  const { place, fail } = application;
  if (!isJsonArray(place.value) || isWanted !== true) return true;
  const places = new Map<string, number>();
  for (const [index, item] of place.value.entries()) {
    const form = formOf(application, item);
    const first = places.get(form);
    if (first !== undefined)
      return fail(`expected unique items, [${first}] and [${index}] are the same`);
    places.set(form, index);
  }
  return true;
}

function checkPrefix(application: Application, schemas: unknown): boolean {
  const { value } = application.place;
  if (!isJsonArray(value) || !Array.isArray(schemas)) return true;
  let fits = true;
  for (const [index, schema] of schemas.slice(0, value.length).entries())
    if (!applyToItem(application, index, schema)) fits = false;
  return fits;
}

function checkItems(application: Application, schema: unknown): boolean {
  const { prefixItems } = application.schema;
  const { value } = application.place;
  if (!isJsonArray(value)) return true;
  let fits = true;
  const start = Array.isArray(prefixItems) ? prefixItems.length : 0;
  for (let index = start; index < value.length; index += 1)
    if (!applyToItem(application, index, schema)) fits = false;
  return fits;
}

function checkContains(application: Application, schema: unknown): boolean {
  const { place, evaluation, seen, apply, fail } = application;
  const { minContains = 1, maxContains = Infinity } = application.schema;
  if (!isJsonArray(place.value)) return true;
  let count = 0;
  for (const [index, item] of place.value.entries()) {
    evaluation.limit.spend(1);
    if (!apply(schema, { place: placeBelow(place, index, item), mismatches: undefined })) continue;
    count += 1;
    if (evaluation.notesSeen) seen.items.add(index);
  }
  if (count >= Number(minContains) && count <= Number(maxContains)) return true;
  const bound = count < Number(minContains) ? `at least ${minContains}` : `at most ${maxContains}`;
  return fail(`expected ${bound} items that fit contains, found ${count}`);
}
