import { z } from "zod";
import type { TroupeError } from "../../foundation/errors.ts";
import { ID_PATTERN } from "../../foundation/ids.ts";
import { didYouMean, nearestName } from "../../foundation/near-names.ts";
import { PARSE_ONCE } from "../../foundation/parse-once.ts";
import { present } from "../../foundation/present.ts";
import {
  entryOf,
  nodeAt,
  type SourceFault,
  type SourceNode,
  type SourceRange,
  toValue,
} from "../source/source-node.ts";
import { missingKey, unknownKey, wrongType, wrongValue } from "./errors.ts";
import { kindOf, placeName, typeHint, typeName } from "./kind-names.ts";

type Issue = z.core.$ZodIssue;

/** What a schema has to say against the content of a file, each at its precise place; `name` is that of the whole. */
export function schemaProblems(
  schema: z.ZodType,
  root: SourceNode,
  name = "the workflow",
): readonly SourceFault[] {
  return partProblems(schema, root, { name });
}

/** How a part of a file is called and what else it may hold. */
export interface CheckedPart {
  readonly name: string;
  /** The place of the part, before the names of its members; empty for the file itself. */
  readonly place?: string;
  /** Keys of the part that another schema knows. */
  readonly alsoKnown?: readonly string[];
  /** Where a missing key of the part is shown. Defaults to its first key. */
  readonly head?: SourceRange;
}

/** What a schema has to say against a part of a file. */
export function partProblems(
  schema: z.ZodType,
  root: SourceNode,
  part: CheckedPart,
): readonly SourceFault[] {
  const result = schema.safeParse(toValue(root), { reportInput: false, ...PARSE_ONCE });
  if (result.success) return [];
  return result.error.issues.flatMap((issue) => faultsOf(issue, { ...part, schema, root }));
}

interface Checked extends CheckedPart {
  readonly schema: z.ZodType;
  readonly root: SourceNode;
}

function placeOf({ root, name, place }: Checked, path: readonly PropertyKey[]): string {
  const within = placeName(root, path, name);
  return place === undefined || path.length === 0 ? within : `${place}.${within}`;
}

function faultsOf(issue: Issue, checked: Checked): readonly SourceFault[] {
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => unknownKeyFault(key, issue.path, checked));
    case "invalid_union":
      return unionFaults(issue, checked);
    case "invalid_type":
      return [typeFault(issue.path, [issue.expected], checked)];
    case "invalid_value":
      return [valueFault(issue.path, choiceProblem(issue, checked.root), checked)];
    default:
      return [valueFault(issue.path, limitProblem(issue), checked)];
  }
}

function unknownKeyFault(key: string, path: readonly PropertyKey[], checked: Checked): SourceFault {
  const { schema, root, alsoKnown = [] } = checked;
  const node = nodeAt(root, path);
  const own = knownKeys(schema, path, root);
  const known = path.length === 0 ? [...own, ...alsoKnown] : own;
  const error = unknownKey({ key, place: placeOf(checked, path), known });
  return { error, range: entryOf(node, key)?.keyRange ?? headOf(node ?? root) };
}

/** A union's own issue says little: the branch that fits the kind of the value knows better. */
function unionFaults(
  issue: Extract<Issue, { code: "invalid_union" }>,
  checked: Checked,
): readonly SourceFault[] {
  const [fitting] = issue.errors
    .filter((branch) => !branch.some((inner) => inner.path.length === 0 && isOfKind(inner)))
    .toSorted((one, other) => distanceOf(one) - distanceOf(other));
  if (fitting !== undefined)
    return fitting.flatMap((inner) =>
      faultsOf({ ...inner, path: [...issue.path, ...inner.path] }, checked),
    );
  const values = issue.errors
    .flat()
    .flatMap((inner) =>
      inner.code === "invalid_value" ? inner.values.map((value) => String(value)) : [],
    );
  if (values.length > 0)
    return [valueFault(issue.path, { problem: `must be "${values[0]}"` }, checked)];
  const expected = issue.errors
    .flat()
    .flatMap((inner) =>
      inner.code === "invalid_type" && inner.path.length === 0 ? [inner.expected] : [],
    );
  return [typeFault(issue.path, expected, checked)];
}

function distanceOf(branch: readonly Issue[]): number {
  const missing = branch.flatMap((issue) =>
    issue.code === "invalid_type" && issue.path.length === 1 ? issue.path.map(String) : [],
  );
  const unknown = branch.flatMap((issue) => (issue.code === "unrecognized_keys" ? issue.keys : []));
  return keyDistance(missing, unknown);
}

/** How far the keys of an object are from those that are wanted: one that is a slip of another counts for neither. */
function keyDistance(missing: readonly string[], unknown: readonly string[]): number {
  const slips = unknown.filter((key) => nearestName(key, missing) !== undefined);
  return missing.length + unknown.length - 2 * slips.length;
}

function isOfKind(issue: Issue): boolean {
  return issue.code === "invalid_type" || issue.code === "invalid_value";
}

function typeFault(
  path: readonly PropertyKey[],
  expected: readonly string[],
  checked: Checked,
): SourceFault {
  const { root } = checked;
  const node = nodeAt(root, path);
  const key = String(path.at(-1) ?? "");
  if (node === undefined) {
    const parent = path.slice(0, -1);
    const hasNames = knownKeys(checked.schema, parent, root).includes("name");
    const hint = missingHint(key, nodeAt(root, parent), hasNames);
    const error = missingKey({ key, place: placeOf(checked, parent), ...present({ hint }) });
    const head = parent.length === 0 ? checked.head : undefined;
    return { error, range: head ?? headOf(nodeAt(root, parent) ?? root) };
  }
  const hint = typeHint(expected, node, key);
  const names = [...new Set(expected.map(typeName))].join(" or ");
  const error = wrongType({
    place: placeOf(checked, path),
    expected: names,
    found: kindOf(node),
    ...(hint === undefined ? {} : { hint }),
  });
  const empty = node.kind === "scalar" && node.value === null && node.start === node.end;
  const entry = entryOf(nodeAt(root, path.slice(0, -1)), key);
  return { error, range: empty && entry !== undefined ? entry.keyRange : node };
}

/** Other tools call an agent or a step by its name alone. */
function missingHint(
  key: string,
  parent: SourceNode | undefined,
  hasNames: boolean,
): string | undefined {
  const name = key === "id" ? entryOf(parent, "name")?.node : undefined;
  if (name?.kind !== "scalar" || typeof name.value !== "string") return undefined;
  const isId = ID_PATTERN.test(name.value);
  const id = isId ? `id: ${name.value}` : "an id";
  return hasNames
    ? `write ${id}; the name is only how it is shown`
    : `write ${id} in place of the name`;
}

interface ValueProblem {
  readonly problem: string;
  readonly hint?: string | undefined;
}

function valueFault(
  path: readonly PropertyKey[],
  { problem, hint }: ValueProblem,
  checked: Checked,
): SourceFault {
  const { root } = checked;
  const node = nodeAt(root, path);
  const details = { place: placeOf(checked, path), problem };
  const error: TroupeError = wrongValue(hint === undefined ? details : { ...details, hint });
  return { error, range: node ?? headOf(root) };
}

function choiceProblem(
  issue: Extract<Issue, { code: "invalid_value" }>,
  root: SourceNode,
): ValueProblem {
  const values = issue.values.map(String);
  const node = nodeAt(root, issue.path);
  const given = node?.kind === "scalar" ? String(node.value) : "";
  const found = node?.kind === "scalar" ? JSON.stringify(node.value) : "something else";
  return {
    problem: `cannot be ${found}`,
    hint: didYouMean(given, values, "one of"),
  };
}

function limitProblem(issue: Issue): ValueProblem {
  if (issue.code === "too_small" && issue.inclusive === false)
    return { problem: `must be more than ${String(issue.minimum)}` };
  if (issue.code === "too_small")
    return { problem: `is too small: at least ${bound(issue.origin, issue.minimum)}` };
  if (issue.code === "too_big")
    return { problem: `is too large: at most ${bound(issue.origin, issue.maximum)}` };
  return { problem: `is not valid: ${issue.message}` };
}

function bound(origin: string, limit: number | bigint): string {
  const units = new Map([
    ["string", "characters"],
    ["array", "items"],
  ]);
  const unit = units.get(origin);
  return unit === undefined
    ? String(limit)
    : `${limit} ${Number(limit) === 1 ? unit.slice(0, -1) : unit}`;
}

/** The first key of an object: the place where a missing key would stand. */
function headOf(node: SourceNode): SourceRange {
  const [first] = node.kind === "map" ? node.entries.values() : [];
  return first?.keyRange ?? { start: node.start, end: Math.min(node.end, node.start + 1) };
}

/** The keys that a schema knows for the object at a path of a file. */
export function knownKeys(
  schema: z.ZodType,
  path: readonly PropertyKey[],
  root: SourceNode,
): readonly string[] {
  const object = schemaAt(schema, path, root);
  return object instanceof z.ZodObject ? Object.keys(object.shape) : [];
}

/** Whether a schema leaves the keys of the object at a path of a file to whoever writes it. */
export function takesAnyKey(
  schema: z.ZodType,
  path: readonly PropertyKey[],
  root: SourceNode,
): boolean {
  return schemaAt(schema, path, root) instanceof z.ZodRecord;
}

function schemaAt(schema: z.ZodType, path: readonly PropertyKey[], root: SourceNode): unknown {
  let current: unknown = schema;
  for (const [index, key] of path.entries()) {
    current = memberSchema(fitting(current, nodeAt(root, path.slice(0, index))), key);
  }
  return fitting(current, nodeAt(root, path));
}

/** The schema without what wraps it; of a union the branch for this kind of value. */
function fitting(schema: unknown, node: SourceNode | undefined): unknown {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodNullable
  )
    return fitting(schema.unwrap(), node);
  if (!(schema instanceof z.ZodUnion)) return schema;
  const [nearest] = schema.options
    .map((option) => fitting(option, node))
    .filter((option) => (node?.kind === "list") === option instanceof z.ZodArray)
    .toSorted((one, other) => distanceTo(one, node) - distanceTo(other, node));
  return nearest;
}

function distanceTo(schema: unknown, node: SourceNode | undefined): number {
  if (node?.kind !== "map" || !(schema instanceof z.ZodObject)) return 0;
  const shape: { readonly [key: string]: unknown } = schema.shape;
  const missing = Object.keys(shape).filter(
    (key) => !node.entries.has(key) && !isOptional(shape[key]),
  );
  const unknown = [...node.entries.keys()].filter((key) => !Object.hasOwn(shape, key));
  return keyDistance(missing, unknown);
}

function isOptional(schema: unknown): boolean {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional;
}

function memberSchema(schema: unknown, key: PropertyKey): unknown {
  if (schema instanceof z.ZodArray) return schema.element;
  if (schema instanceof z.ZodRecord) return schema.valueType;
  if (!(schema instanceof z.ZodObject)) return undefined;
  const shape: { readonly [key: string]: unknown } = schema.shape;
  return shape[String(key)];
}
