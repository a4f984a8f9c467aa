import type { Application, NamedRules } from "./evaluation.ts";
import { createMismatchList, type Mismatch, type MismatchList, mismatchText } from "./mismatch.ts";
import { pathOf } from "./place.ts";

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
