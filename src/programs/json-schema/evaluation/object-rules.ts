import { isRecord } from "../../../foundation/json.ts";
import type { Application, NamedRules } from "./evaluation.ts";
import { shortJson } from "./mismatch.ts";
import { isObjectValue, placeBelow } from "./place.ts";
import { matches } from "./text-rules.ts";
import { type CountBound, missedBound } from "./value-rules.ts";

/** Keywords of objects. */
export const objectRules: NamedRules = [
  ["required", (application, names) => checkRequired(application, names)],
  ["minProperties", (application, least) => checkCount(application, { least })],
  ["maxProperties", (application, most) => checkCount(application, { most })],
  ["properties", checkProperties],
  ["patternProperties", checkPatterns],
  ["additionalProperties", checkAdditional],
  ["propertyNames", checkNames],
  ["dependentRequired", checkDependentNames],
  ["dependentSchemas", checkDependentSchemas],
  ["dependencies", checkDependencies],
];

/** Evaluates members with a schema, and notes that they were seen. */
export function applyToMembers(
  application: Application,
  names: readonly string[],
  schema: unknown,
): boolean {
  const { place, evaluation, seen, apply } = application;
  if (!isObjectValue(place.value)) return true;
  let fits = true;
  for (const name of names) {
    evaluation.limit.spend(1);
    if (evaluation.notesSeen) seen.names.add(name);
    if (!apply(schema, { place: placeBelow(place, name, place.value[name] ?? null) })) fits = false;
  }
  return fits;
}

function checkRequired({ place: { value }, fail }: Application, names: unknown): boolean {
  if (!isObjectValue(value) || !Array.isArray(names)) return true;
  const missing = names.filter((name) => !Object.hasOwn(value, String(name)));
  return missing.length === 0 || fail(() => `lacks ${missing.map(shortJson).join(", ")}`);
}

function checkCount({ place: { value }, fail }: Application, bound: CountBound): boolean {
  if (!isObjectValue(value)) return true;
  const count = Object.keys(value).length;
  const missed = missedBound(count, bound);
  return missed === undefined || fail(`expected ${missed} members, found ${count}`);
}

function checkProperties(application: Application, properties: unknown): boolean {
  const { value } = application.place;
  if (!isObjectValue(value) || !isRecord(properties)) return true;
  let fits = true;
  for (const [name, schema] of Object.entries(properties))
    if (Object.hasOwn(value, name) && !applyToMembers(application, [name], schema)) fits = false;
  return fits;
}

function checkPatterns(application: Application, patterns: unknown): boolean {
  const { value } = application.place;
  if (!isObjectValue(value) || !isRecord(patterns)) return true;
  let fits = true;
  for (const [pattern, schema] of Object.entries(patterns)) {
    const names = Object.keys(value).filter((name) => matches(application, pattern, name));
    if (!applyToMembers(application, names, schema)) fits = false;
  }
  return fits;
}

function checkAdditional(application: Application, schema: unknown): boolean {
  const { properties, patternProperties } = application.schema;
  const { value } = application.place;
  if (!isObjectValue(value)) return true;
  const known = isRecord(properties) ? properties : {};
  const patterns = isRecord(patternProperties) ? Object.keys(patternProperties) : [];
  const names = Object.keys(value).filter(
    (name) =>
      !Object.hasOwn(known, name) &&
      !patterns.some((pattern) => matches(application, pattern, name)),
  );
  return applyToMembers(application, names, schema);
}

function checkNames({ apply, place, evaluation, fail }: Application, schema: unknown): boolean {
  const { value } = place;
  if (!isObjectValue(value)) return true;
  for (const name of Object.keys(value)) {
    evaluation.limit.spend(1);
    const named = placeBelow(place, name, name);
    if (!apply(schema, { place: named, mismatches: undefined }))
      return fail(() => `has the name ${shortJson(name)}, which propertyNames does not allow`);
  }
  return true;
}

function checkDependentNames(application: Application, dependencies: unknown): boolean {
  const { place, fail } = application;
  const { value } = place;
  if (!isObjectValue(value) || !isRecord(dependencies)) return true;
  return Object.entries(dependencies).every(([name, names]) => {
    if (!Object.hasOwn(value, name) || !Array.isArray(names)) return true;
    const missing = names.filter((needed) => !Object.hasOwn(value, String(needed)));
    const list = () => missing.map(shortJson).join(", ");
    return missing.length === 0 || fail(() => `has ${shortJson(name)} and lacks ${list()}`);
  });
}

function checkDependentSchemas(application: Application, dependencies: unknown): boolean {
  const { value } = application.place;
  if (!isObjectValue(value) || !isRecord(dependencies)) return true;
  let fits = true;
  for (const [name, schema] of Object.entries(dependencies))
    if (Object.hasOwn(value, name) && !application.apply(schema)) fits = false;
  return fits;
}

/** A keyword of drafts before 2019-09: lists of names or schemas. */
function checkDependencies(application: Application, dependencies: unknown): boolean {
  if (!isRecord(dependencies)) return true;
  const entries = Object.entries(dependencies);
  const schemas = entries.filter(([, dependency]) => !Array.isArray(dependency));
  return (
    checkDependentNames(application, dependencies) &&
    checkDependentSchemas(application, Object.fromEntries(schemas))
  );
}
