import type { TroupeError } from "../../foundation/errors.ts";

/** A part of a source text: UTF-16 offsets, the end exclusive. */
export interface SourceRange {
  readonly start: number;
  readonly end: number;
}

/** A value of a file with its place. */
export type SourceNode = ScalarNode | ListNode | MapNode;

export interface ScalarNode extends SourceRange {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
}

export interface ListNode extends SourceRange {
  readonly kind: "list";
  readonly items: readonly SourceNode[];
}

export interface MapNode extends SourceRange {
  readonly kind: "map";
  readonly entries: ReadonlyMap<string, SourceEntry>;
}

/** One member of an object, with the place of its key. */
export interface SourceEntry {
  readonly key: string;
  readonly keyRange: SourceRange;
  readonly node: SourceNode;
}

/** Something wrong at a place of a source text. */
export interface SourceFault {
  readonly error: TroupeError;
  readonly range: SourceRange;
}

/** What a parser makes of a text. `root` is absent when nothing can be made of it. */
export interface ParsedSource {
  readonly root: SourceNode | undefined;
  readonly faults: readonly SourceFault[];
}

/** Deepest nesting of a file. */
export const MAX_DEPTH = 64;
/** Most values in a YAML file, with aliases written out. */
export const MAX_NODES = 30_000;
/** Most values in a JSON file, which is read faster and has no aliases: room for 10,000 steps. */
export const MAX_JSON_NODES = 100_000;
/** Keys that are refused everywhere. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set([
  "__proto__",
  "constructor",
  "prototype",
]);

/** The plain value of a node. */
export function toValue(node: SourceNode): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(toValue);
  return Object.fromEntries([...node.entries].map(([key, entry]) => [key, toValue(entry.node)]));
}

/** A tree as if all of it stood at one place. */
export function placedAt(node: MapNode, place: SourceRange): MapNode;
export function placedAt(node: SourceNode, place: SourceRange): SourceNode;
export function placedAt(node: SourceNode, { start, end }: SourceRange): SourceNode {
  const place = { start, end };
  if (node.kind === "scalar") return { ...node, ...place };
  if (node.kind === "list")
    return { ...node, ...place, items: node.items.map((item) => placedAt(item, place)) };
  const entries = [...node.entries].map(([key, entry]): [string, SourceEntry] => [
    key,
    { key, keyRange: place, node: placedAt(entry.node, place) },
  ]);
  return { ...node, ...place, entries: new Map(entries) };
}

/** An object without some of its members. */
export function withoutKeys(node: MapNode, isLeftOut: (key: string) => boolean): MapNode {
  return { ...node, entries: new Map([...node.entries].filter(([key]) => !isLeftOut(key))) };
}

/** The member of an object, or undefined when it is no object or has no such member. */
export function entryOf(node: SourceNode | undefined, key: string): SourceEntry | undefined {
  return node?.kind === "map" ? node.entries.get(key) : undefined;
}

/** The first value under a key, however deep, that is this text. */
export function textUnder(node: SourceNode, key: string, text: string): SourceNode | undefined {
  if (node.kind === "scalar") return undefined;
  const here = entryOf(node, key)?.node;
  if (here?.kind === "scalar" && here.value === text) return here;
  const inner =
    node.kind === "list" ? node.items : [...node.entries.values()].map((entry) => entry.node);
  for (const one of inner) {
    const found = textUnder(one, key, text);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The node at a path of keys and list positions. */
export function nodeAt(
  root: SourceNode | undefined,
  path: readonly PropertyKey[],
): SourceNode | undefined {
  let node = root;
  for (const key of path) {
    if (node?.kind === "list") node = node.items[Number(key)];
    else node = entryOf(node, String(key))?.node;
  }
  return node;
}
