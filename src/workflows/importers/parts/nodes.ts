import type {
  MapNode,
  ScalarNode,
  SourceEntry,
  SourceNode,
  SourceRange,
} from "../../source/source-node.ts";

/** A value at the place of what it comes from. */
export function scalarAt(value: ScalarNode["value"], place: SourceRange): ScalarNode {
  return { kind: "scalar", value, start: place.start, end: place.end };
}

/** A member that stands where another one stood. */
export function entryAt(key: string, node: SourceNode, keyRange: SourceRange): SourceEntry {
  return { key, keyRange, node };
}

/** An object of these members; the first of two with the same key counts. */
export function mapAt(
  entries: readonly (SourceEntry | undefined)[],
  { start, end }: SourceRange,
): MapNode {
  const members = new Map<string, SourceEntry>();
  for (const entry of entries)
    if (entry !== undefined && !members.has(entry.key)) members.set(entry.key, entry);
  return { kind: "map", entries: members, start, end };
}

/** The text of a value, also of one that stands without quotes as a number. */
export function textOf(node: SourceNode | undefined): string | undefined {
  if (node?.kind !== "scalar" || node.value === null) return undefined;
  return String(node.value);
}

/** The members of an object; none when it is no object. */
export function membersOf(node: SourceNode | undefined): readonly SourceEntry[] {
  return node?.kind === "map" ? [...node.entries.values()] : [];
}

/** Whether a value says nothing: empty, false, or without members. */
export function isNothing(node: SourceNode): boolean {
  if (node.kind === "scalar") return node.value === null || node.value === false;
  return node.kind === "list" ? node.items.length === 0 : node.entries.size === 0;
}

/** The first of these members as a duration: a number counts milliseconds. */
export function durationEntry(
  key: string,
  ...written: readonly (SourceEntry | undefined)[]
): SourceEntry | undefined {
  const entry = written.find((candidate) => candidate !== undefined);
  if (entry === undefined) return undefined;
  const text = textOf(entry.node) ?? "";
  const node = /^\d+(?:\.\d+)?$/.test(text) ? scalarAt(`${text}ms`, entry.node) : entry.node;
  return entryAt(key, node, entry.keyRange);
}
