import { isJsonArray } from "../../../foundation/json.ts";
import type { FoundSchema } from "../parts/schema-resources.ts";
import { applyToItem } from "./array-rules.ts";
import type { Application, NamedRules } from "./evaluation.ts";
import { createMismatchList, type Mismatch, type MismatchList, mismatchText } from "./mismatch.ts";
import { applyToMembers } from "./object-rules.ts";
import { isObjectValue, pathOf } from "./place.ts";
import { EvaluationExceeded } from "./work-limit.ts";

/** Keywords that combine schemas at one place. */
export const logicRules: NamedRules = [
  ["allOf", checkAll],
  ["anyOf", checkAny],
  ["oneOf", checkOne],
  ["not", checkNot],
  ["if", checkIf],
];

const MAX_KEPT = 3;

function checkAll({ apply }: Application, schemas: unknown): boolean {
  let fits = true;
  for (const schema of listOf(schemas)) if (!apply(schema)) fits = false;
  return fits;
}

function checkAny(application: Application, schemas: unknown): boolean {
  const { fitting, failures } = tryAll(application, listOf(schemas));
  return fitting.length > 0 || tellNearest(application, failures);
}

function checkOne(application: Application, schemas: unknown): boolean {
  const { fitting, failures } = tryAll(application, listOf(schemas));
  if (fitting.length === 1) return true;
  if (fitting.length === 0) return tellNearest(application, failures);
  return application.fail(
    `expected to fit one schema of oneOf, fits those at ${fitting.join(", ")}`,
  );
}

function checkNot({ apply, fail }: Application, schema: unknown): boolean {
  return !apply(schema, { mismatches: undefined }) || fail("fits what `not` excludes");
}

function checkIf({ apply, schema }: Application, condition: unknown): boolean {
  const branch = apply(condition, { mismatches: undefined }) ? schema["then"] : schema["else"];
  return branch === undefined || apply(branch);
}

interface Trial {
  /** Positions of the schemas that fit. */
  readonly fitting: readonly number[];
  readonly failures: readonly MismatchList[];
}

function tryAll({ apply, standing }: Application, schemas: readonly unknown[]): Trial {
  const fitting: number[] = [];
  const failures: MismatchList[] = [];
  const isTold = standing.mismatches !== undefined;
  for (const [index, schema] of schemas.entries()) {
    const mismatches = isTold ? createMismatchList(MAX_KEPT) : undefined;
    if (apply(schema, { mismatches })) fitting.push(index);
    else if (mismatches !== undefined) failures.push(mismatches);
  }
  return { fitting, failures };
}

/** Of several schemas the one that got furthest into the data is most likely the one that was meant. */
function tellNearest({ fail, place }: Application, failures: readonly MismatchList[]): false {
  return fail(() => {
    const depth = pathOf(place).length;
    const nearest = failures.toSorted((left, right) => reach(right.found) - reach(left.found))[0];
    const all = failures.flatMap(({ found }) => found.slice(0, 1));
    const told = all.every(({ path }) => path.length === depth) ? all : (nearest?.found ?? []);
    const problems = told.map((mismatch) =>
      mismatchText({ ...mismatch, path: mismatch.path.slice(depth) }),
    );
    return `fits none of ${failures.length} alternatives: ${[...new Set(problems)].join("; ")}`;
  });
}

function reach(found: readonly Mismatch[]): number {
  return Math.max(0, ...found.map(({ path }) => path.length));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Keywords that refer to another schema of the document. */
export const referenceRules: NamedRules = [
  ["$ref", (application, reference) => follow(application, target(application, reference))],
  [
    "$dynamicRef",
    (application, reference) => follow(application, dynamicTarget(application, reference)),
  ],
];

function follow({ apply }: Application, { schema, base }: FoundSchema): boolean {
  return apply(schema, { base });
}

function target({ evaluation, schema }: Application, reference: unknown): FoundSchema {
  const { resources } = evaluation;
  const resolution = resources.resolve(String(reference), resources.baseOf(schema));
  // References are judged before anything is evaluated.
  if (resolution.status !== "found") throw new EvaluationExceeded(`${reference} leads nowhere`);
  return resolution.found;
}

/** The outermost schema on the way that has the anchor, when the reference leads to a dynamic one. */
function dynamicTarget(application: Application, reference: unknown): FoundSchema {
  const found = target(application, reference);
  const { dynamicName: name } = found;
  if (name === undefined) return found;
  const { evaluation, standing } = application;
  for (const base of standing.bases) {
    const schema = evaluation.resources.dynamicTarget(base, name);
    if (schema !== undefined) return { schema, base, dynamicName: name };
  }
  return found;
}

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
