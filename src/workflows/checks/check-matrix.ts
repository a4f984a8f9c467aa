import { ID_PATTERN } from "../../foundation/ids.ts";
import {
  combinationsOf,
  isPartOf,
  MAX_INSTANCES,
  type MatrixParts,
  matrixParts,
} from "../resolve/resolve-steps.ts";
import { wrongValue } from "../schema/errors.ts";
import { MAX_STEPS } from "../schema/pattern-file-schema.ts";
import { type MatrixEntry, matrixSchema } from "../schema/step-schema.ts";
import { entryOf, type SourceNode, toValue } from "../source/source-node.ts";
import type { CheckContext } from "./check-context.ts";
import { type LocatedItem, labelOf, listAt } from "./file-view.ts";

const COMBINATIONS: readonly string[] = ["include", "exclude"];
const OF_MATRIX = ["maxConcurrency", "failFast"];

/** Checks every `matrix`: where it may stand, what its lists hold, and how many instances it comes to. */
export function checkMatrices(context: CheckContext): void {
  const { view, report } = context;
  let total = view.steps.length;
  for (const step of view.steps) {
    const place = `steps.${labelOf(step, view.steps)}`;
    const node = entryOf(step.node, "matrix")?.node;
    if (node === undefined) {
      checkNoRules(context, step, place);
      continue;
    }
    const count = checkMatrix(context, step, `${place}.matrix`);
    const problem = `makes more than ${MAX_STEPS} steps of this file`;
    if (total <= MAX_STEPS && total + count > MAX_STEPS)
      report(wrongValue({ place: `${place}.matrix`, problem, hint: "take values out" }), node);
    total += count;
  }
}

function checkNoRules({ report }: CheckContext, { node }: LocatedItem, place: string): void {
  for (const key of OF_MATRIX) {
    const entry = entryOf(node, key);
    if (entry === undefined) continue;
    const problem = `has ${key}, which only a step with a matrix takes`;
    const hint =
      key === "maxConcurrency"
        ? "for all steps of the run it is options.maxConcurrency"
        : "for the whole run it is errorHandling.onFailure: abort";
    report(wrongValue({ place, problem, hint }), entry.keyRange);
  }
}

/** Answers how many instances it comes to. */
function checkMatrix(context: CheckContext, step: LocatedItem, place: string): number {
  const { report, order, pattern } = context;
  const entry = entryOf(step.node, "matrix");
  if (entry === undefined) return 0;
  if (order !== undefined && order !== "graph") {
    const problem = `has no meaning in ${pattern?.name ?? "this pattern"}: it belongs to the step of a graph`;
    const hint = "use pattern: dag, whose steps start as soon as what they depend on is done";
    report(wrongValue({ place, problem, hint }), entry.keyRange);
  }
  const { node } = entry;
  const read = matrixSchema.safeParse(toValue(node));
  // What is no matrix at all is told by the schema.
  if (!read.success || !checkLists(context, node, place)) return 0;
  const parts = matrixParts(read.data);
  if (!checkSize(context, { node, place, parts })) return 0;
  checkExclude(context, { node, place, parts });
  checkTwins(context, { node, place, parts });
  return combinationsOf(parts).length;
}

/** Whether every list holds what its name says. */
function checkLists({ report }: CheckContext, node: SourceNode, place: string): boolean {
  if (node.kind !== "map") return false;
  let isOk = true;
  for (const { key, keyRange, node: list } of node.entries.values()) {
    const takesValues = !COMBINATIONS.includes(key);
    if (!ID_PATTERN.test(key)) {
      isOk = false;
      const problem = "is no name of a variable";
      const hint = "use letters, digits, _ and -, and begin with a letter";
      report(wrongValue({ place: `${place}.${key}`, problem, hint }), keyRange);
    }
    for (const [index, item] of list.kind === "list" ? list.items.entries() : []) {
      if ((item.kind === "scalar") === takesValues) continue;
      isOk = false;
      const problem = takesValues ? "is no value" : "is no combination";
      const hint = takesValues
        ? "write a text, a number or true and false"
        : "write values by name, such as { os: linux, node: 22 }";
      report(wrongValue({ place: `${place}.${key}.${index}`, problem, hint }), item);
    }
  }
  return isOk;
}

interface Written {
  readonly node: SourceNode;
  readonly place: string;
  readonly parts: MatrixParts;
}

/** Looks at the numbers first: a product may be too large to be written down. */
function checkSize({ report }: CheckContext, { node, place, parts }: Written): boolean {
  const { axes, include } = parts;
  const sizes = [...axes.values()].map((values) => values.length);
  const product = axes.size === 0 ? 0 : sizes.reduce((all, size) => Math.min(1e6, all * size), 1);
  const isHuge = product > MAX_INSTANCES * MAX_INSTANCES || include.length > MAX_INSTANCES;
  const count = isHuge ? product + include.length : combinationsOf(parts).length;
  if (count > 0 && count <= MAX_INSTANCES) return true;
  const problem =
    count === 0
      ? "leaves no instance"
      : `comes to ${count >= 1e6 ? "a million or more" : count} instances, and ${MAX_INSTANCES} are the most`;
  const hint = count === 0 ? "give it a variable with values, or exclude less" : "take values out";
  report(wrongValue({ place, problem, hint }), node);
  return false;
}

function checkExclude({ report }: CheckContext, { node, place, parts }: Written): void {
  const all = combinationsOf({ ...parts, include: [], exclude: [] });
  for (const [index, item] of listAt(node, "exclude").entries()) {
    const part = parts.exclude[index];
    if (part === undefined || all.some((values) => isPartOf(part, values))) continue;
    const hint = `its names and values are those of ${[...parts.axes.keys()].join(", ")}`;
    const problem = "excludes no combination";
    report(wrongValue({ place: `${place}.exclude.${index}`, problem, hint }), item);
  }
}

function checkTwins({ report }: CheckContext, { node, place, parts }: Written): void {
  const combinations = combinationsOf(parts).map((values) => JSON.stringify(sorted(values)));
  const twin = combinations.find((one, index) => combinations.indexOf(one) !== index);
  if (twin === undefined) return;
  const problem = `has the instance ${twin} twice`;
  report(wrongValue({ place, problem, hint: "keep one of them" }), node);
}

function sorted(values: object): object {
  return Object.fromEntries(
    Object.entries(values).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** The names of variables that every instance of this step has. */
export function matrixNames(step: LocatedItem): readonly string[] {
  const node = entryOf(step.node, "matrix")?.node;
  const read = node === undefined ? undefined : matrixSchema.safeParse(toValue(node));
  return read?.success === true ? sharedNames(read.data) : [];
}

function sharedNames(matrix: MatrixEntry): readonly string[] {
  const { axes, include } = matrixParts(matrix);
  const isAll = (name: string) => include.every((values) => Object.hasOwn(values, name));
  const names = new Set([...axes.keys(), ...include.flatMap(Object.keys)]);
  if (axes.size === 0) return [...names].filter(isAll);
  const product = [...axes.values()].reduce((all, values) => all * values.length, 1);
  if (product > MAX_INSTANCES * MAX_INSTANCES) return [...names];
  const combinations = combinationsOf(matrixParts(matrix));
  return [...names].filter((name) => combinations.every((values) => Object.hasOwn(values, name)));
}
