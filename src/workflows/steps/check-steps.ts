import type { StepsDefinition } from "../../contracts/definition.ts";
import type { SettingFault } from "../../contracts/ports/step-type.ts";
import { present } from "../../foundation/present.ts";
import { stepTypeUnknown } from "../../programs/steps/parts/errors.ts";
import { checkJsonSchema } from "../checks/check-step-values.ts";
import { routeTestUnknown } from "../checks/errors.ts";
import { missingKey, wrongType, wrongValue } from "../schema/errors.ts";
import { kindOf } from "../schema/kind-names.ts";
import { partProblems } from "../schema/schema-problems.ts";
import { standingStepKeys } from "../schema/step-keys.ts";
import { MAX_FLOW_DEPTH, MAX_FLOW_STEPS } from "../schema/steps-file-schema.ts";
import {
  entryOf,
  type MapNode,
  type SourceNode,
  textUnder,
  toValue,
  withoutKeys,
} from "../source/source-node.ts";
import { routesInSettings } from "./check-routes.ts";
import { nestedRoute, stepNotNested, stepsExcess } from "./errors.ts";
import { ownPart, type StepKind, type StepView, stepLabel, stepPlace } from "./step-view.ts";
import type { StepsCheck } from "./steps-check.ts";

/** Checks each step by itself: its type, its keys and their values, and whether it may stand where it does. */
export function checkSteps(check: StepsCheck): void {
  const { view, report } = check;
  for (const step of view.all) checkStep(check, step);
  if (view.excess === undefined) return;
  const { what, range } = view.excess;
  report(stepsExcess({ what, limit: what === "steps" ? MAX_FLOW_STEPS : MAX_FLOW_DEPTH }), range);
}

function checkStep(check: StepsCheck, step: StepView): void {
  const { report, options } = check;
  const { node, kind, typeName } = step;
  const place = stepPlace(step);
  if (node.kind !== "map") {
    report(wrongType({ place, expected: "an object", found: kindOf(node) }), node);
    return;
  }
  const known = (options.stepTypes ?? []).map(({ name }) => name);
  if (kind !== undefined) {
    checkKeys(check, { step, node, kind });
    checkNesting(check, { step, node, kind });
  } else if (typeName !== undefined)
    report(stepTypeUnknown({ step: stepLabel(step), type: typeName.text, known }), typeName.node);
  else reportMissingType(check, step, known);
}

interface TypedStep {
  readonly step: StepView;
  readonly node: MapNode;
  readonly kind: StepKind;
}

function reportMissingType({ report }: StepsCheck, step: StepView, known: readonly string[]): void {
  const entry = entryOf(step.node, "type");
  const place = stepPlace(step);
  if (entry === undefined) {
    const hint = `one of ${known.join(", ")}`;
    report(missingKey({ key: "type", place, hint }), step.idRange);
    return;
  }
  const found = kindOf(entry.node);
  report(wrongType({ place: `${place}.type`, expected: "a text", found }), entry.node);
}

function checkKeys(check: StepsCheck, { step, node, kind }: TypedStep): void {
  const { report } = check;
  const { keys, type } = kind;
  const place = stepPlace(step);
  const isNested = step.parent !== undefined;
  // Routes of steps inside of others are a problem of their own.
  const common = withoutKeys(
    node,
    (key) => !Object.hasOwn(keys.top.shape, key) || (isNested && keys.routes.includes(key)),
  );
  const schema = isNested ? keys.nested : keys.top;
  const names = { name: place, place, head: step.idRange };
  for (const { error, range } of partProblems(schema, common, names)) report(error, range);
  const own = ownPart(node, kind);
  const routes = isNested ? [] : keys.routes;
  const alsoKnown = [...routes, ...keys.nesting, ...standingStepKeys];
  const faults = partProblems(type.settings, own, { ...names, alsoKnown });
  for (const { error, range } of faults) report(error, range);
  if (faults.length === 0) checkByType(check, { step, node, kind }, own);
  for (const path of type.schemas ?? []) checkSchemas(check, own, { place, path });
  checkAttempts(check, node, place);
}

/** Judges the JSON Schemas at a path such as `steps.*.schema`. */
function checkSchemas(
  { report }: StepsCheck,
  own: MapNode,
  { place, path }: { readonly place: string; readonly path: string },
): void {
  let found: readonly { readonly place: string; readonly node: SourceNode }[] = [
    { place, node: own },
  ];
  for (const key of path.split("."))
    found = found.flatMap(({ node, place: around }) =>
      membersAt(node, key).map(([name, member]) => ({ place: `${around}.${name}`, node: member })),
    );
  for (const schema of found) checkJsonSchema({ ...schema, report });
}

function membersAt(node: SourceNode, key: string): readonly (readonly [string, SourceNode])[] {
  const entry = entryOf(node, key);
  if (key !== "*" || node.kind === "scalar") return entry === undefined ? [] : [[key, entry.node]];
  if (node.kind === "map") return [...node.entries].map(([name, member]) => [name, member.node]);
  return node.items.map((item, index) => [String(index), item]);
}

function checkByType(
  { report, view }: StepsCheck,
  { step, node, kind }: TypedStep,
  own: MapNode,
): void {
  const { type, keys } = kind;
  const nestedAs = keys.nesting.find((key) => node.entries.has(key));
  // Of too many steps those inside may not have been read.
  const isUnread = nestedAs !== undefined && view.excess !== undefined;
  const about = {
    nestedCount: isUnread ? Math.max(1, step.children.length) : step.children.length,
    ...(nestedAs === undefined ? {} : { nestedAs }),
    routes: keys.routes.filter((key) => node.entries.has(key)),
  };
  const settings = type.settings.parse(toValue(own));
  for (const fault of type.check?.(settings, about) ?? []) reportFault(report, step, fault);
}

/** Checks settings against the whole of their workflow. */
export function checkAmongSteps(
  { view, report, options }: Pick<StepsCheck, "view" | "report" | "options">,
  definition: StepsDefinition,
  steps: readonly StepView[] = view.top,
): void {
  const { routeTests: known } = options;
  for (const step of steps) {
    const { node, kind } = step;
    if (node.kind !== "map" || kind === undefined) continue;
    const settings = kind.type.settings.parse(toValue(ownPart(node, kind)));
    for (const fault of kind.type.checkAmong?.(settings, definition) ?? [])
      reportFault(report, step, fault);
    for (const test of kind.type.routeTests?.(settings, definition) ?? [])
      if (known?.includes(test) === false)
        report(routeTestUnknown({ test, known }), textUnder(node, "test", test) ?? step.idRange);
    checkAmongSteps({ view, report, options }, definition, step.children);
  }
}

function reportFault(
  report: StepsCheck["report"],
  step: StepView,
  { key, problem, hint }: SettingFault,
): void {
  const entry = key === undefined ? undefined : entryOf(step.node, key);
  const place = entry === undefined ? stepPlace(step) : `${stepPlace(step)}.${entry.key}`;
  report(wrongValue({ place, problem, ...present({ hint }) }), entry?.node ?? step.idRange);
}

function checkAttempts({ report }: StepsCheck, node: MapNode, place: string): void {
  const [retries, attempts] = ["max_retries", "max_attempts"].map((key) => entryOf(node, key));
  if (retries === undefined || attempts === undefined) return;
  const problem = "has both max_retries and max_attempts, which mean the same";
  report(wrongValue({ place, problem, hint: "keep max_attempts" }), retries.keyRange);
}

function checkNesting({ report }: StepsCheck, { step, node, kind }: TypedStep): void {
  const { parent } = step;
  const { type, keys } = kind;
  const [first, second] = keys.nesting.flatMap((key) => entryOf(node, key) ?? []);
  if (first !== undefined && second !== undefined) {
    const problem = "has both steps and step";
    const hint = "keep steps, or step for one that is repeated for each item";
    report(wrongValue({ place: stepPlace(step), problem, hint }), second.keyRange);
  }
  if (parent === undefined) return;
  const around = stepLabel(parent);
  if (!type.mayBeNested)
    report(
      stepNotNested({ step: stepLabel(step), type: type.name, around }),
      step.typeName?.node ?? step.idRange,
    );
  for (const key of [...keys.routes, ...Object.keys(routesInSettings(step))]) {
    const entry = node.entries.get(key);
    if (entry !== undefined)
      report(nestedRoute({ step: stepLabel(step), around, key }), entry.keyRange);
  }
}
