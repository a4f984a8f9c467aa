import type { StepType } from "../../contracts/ports/step-type.ts";
import { PARSE_ONCE } from "../../foundation/parse-once.ts";
import { type LocatedText, textAt } from "../checks/file-view.ts";
import { type StepKeys, stepKeysOf } from "../schema/step-keys.ts";
import { MAX_FLOW_DEPTH, MAX_FLOW_STEPS } from "../schema/steps-file-schema.ts";
import {
  entryOf,
  type MapNode,
  type SourceNode,
  type SourceRange,
  toValue,
  withoutKeys,
} from "../source/source-node.ts";

/** A type of step with its keys. */
export interface StepKind {
  readonly type: StepType;
  readonly keys: StepKeys;
}

/** A step of a file, as far as it is readable. */
export interface StepView {
  /** The id, or undefined when it is missing or no text. */
  readonly id: string | undefined;
  readonly idRange: SourceRange;
  readonly node: SourceNode;
  /** How it is reached from the root of the file. */
  readonly path: readonly (string | number)[];
  /** Its type as written. */
  readonly typeName: LocatedText | undefined;
  /** Absent when there is none of this name. */
  readonly kind: StepKind | undefined;
  /** The step around it. */
  readonly parent: StepView | undefined;
  readonly children: readonly StepView[];
}

/** The steps of a file. */
export interface StepsView {
  readonly root: MapNode;
  /** Those of the list `steps`. */
  readonly top: readonly StepView[];
  /** All of them, each before those inside of it. */
  readonly all: readonly StepView[];
  /** What there is more of than is read, and where it begins. */
  readonly excess: { readonly what: "steps" | "levels"; readonly range: SourceRange } | undefined;
}

/** Finds the steps of a step workflow. Of too many, and of those too deep inside of others, the rest is left out. */
export function viewSteps(root: MapNode, types: readonly StepType[]): StepsView {
  const kindOf = createKinds(types);
  const all: StepView[] = [];
  let excess: StepsView["excess"];
  const read = (node: SourceNode, place: Pick<StepView, "path" | "parent">): StepView[] => {
    const depth = depthOf(place.parent);
    if (all.length >= MAX_FLOW_STEPS || depth >= MAX_FLOW_DEPTH) {
      const what = depth >= MAX_FLOW_DEPTH ? "levels" : "steps";
      excess ??= { what, range: { start: node.start, end: node.start + 1 } };
      return [];
    }
    const [id, typeName] = [textAt(node, "id"), textAt(node, "type")];
    const kind = kindOf(typeName?.text ?? "");
    const children: StepView[] = [];
    const step: StepView = {
      ...{ id: id?.text, idRange: id?.node ?? headOf(node), node, typeName, kind, children },
      ...place,
    };
    all.push(step);
    for (const key of kind?.keys.nesting ?? [])
      for (const { item, path } of nestedAt(node, key))
        children.push(...read(item, { path: [...place.path, ...path], parent: step }));
    return [step];
  };
  const top = nestedAt(root, "steps").flatMap(({ item, path }) =>
    read(item, { path, parent: undefined }),
  );
  return { root, top, all, excess };
}

/** How a step is called in messages: its id, else its position. */
export function stepLabel({ id, path }: StepView): string {
  return id ?? String(path.at(-1));
}

/** Where a step stands, in words: `steps.checks.steps.unit`. */
export function stepPlace(step: StepView): string {
  const { parent, path } = step;
  const around = parent === undefined ? "" : `${stepPlace(parent)}.`;
  const isOne = path.at(-1) === "step";
  return isOne ? `${around}step` : `${around}steps.${stepLabel(step)}`;
}

/** The step of the list `steps` that a step is, or lies inside of. */
export function topOf(step: StepView): StepView {
  return step.parent === undefined ? step : topOf(step.parent);
}

/** What only its type understands of a step. */
export function ownPart(node: MapNode, { keys }: StepKind): MapNode {
  return withoutKeys(node, (key) => Object.hasOwn(keys.top.shape, key));
}

/** The settings of a step as its type has parsed them, without keys that it does not know; undefined when they are wrong. */
export function settingsOf({ node, kind }: StepView): unknown {
  if (kind === undefined || node.kind !== "map") return undefined;
  const { type, keys } = kind;
  const own = ownPart(node, kind);
  const whole = type.settings.safeParse(toValue(own), PARSE_ONCE);
  if (whole.success) return whole.data;
  const known = withoutKeys(own, (key) => !keys.own.includes(key));
  return type.settings.safeParse(toValue(known), PARSE_ONCE).data;
}

function createKinds(types: readonly StepType[]): (name: string) => StepKind | undefined {
  const byName = new Map(types.map((type) => [type.name, type]));
  const kinds = new Map<string, StepKind>();
  return (name) => {
    const type = byName.get(name);
    if (type === undefined) return undefined;
    const kind = kinds.get(name) ?? { type, keys: stepKeysOf(type) };
    kinds.set(name, kind);
    return kind;
  };
}

interface NestedNode {
  readonly item: SourceNode;
  readonly path: readonly (string | number)[];
}

function nestedAt(node: SourceNode, key: string): readonly NestedNode[] {
  const nested = entryOf(node, key)?.node;
  if (nested === undefined) return [];
  if (key === "step") return nested.kind === "map" ? [{ item: nested, path: [key] }] : [];
  if (nested.kind !== "list") return [];
  return nested.items.map((item, index) => ({ item, path: [key, index] }));
}

function depthOf(step: StepView | undefined): number {
  return step === undefined ? 0 : 1 + depthOf(step.parent);
}

function headOf(node: SourceNode): SourceRange {
  const [first] = node.kind === "map" ? node.entries.values() : [];
  return first?.keyRange ?? { start: node.start, end: Math.min(node.end, node.start + 1) };
}
