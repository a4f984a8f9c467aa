import type { z } from "zod";
import type { TroupeError } from "../../foundation/errors.ts";
import { placeName } from "../schema/kind-names.ts";
import { knownKeys, takesAnyKey } from "../schema/schema-problems.ts";
import {
  entryOf,
  FORBIDDEN_KEYS,
  type ListNode,
  type MapNode,
  nodeAt,
  type SourceEntry,
  type SourceNode,
} from "../source/source-node.ts";
import { overrideConflict, unknownOverride } from "./errors.ts";

/** Where an override leads: keys and list positions, or why it leads nowhere. */
export type OverridePlace =
  | { readonly status: "found"; readonly path: readonly PropertyKey[] }
  | { readonly status: "refused"; readonly error: TroupeError };

/** Follows the path of an override through a tree; keys that are not there yet must be known to the schema. */
export function findOverridePlace(text: string, tree: MapNode, schema: z.ZodType): OverridePlace {
  const path: PropertyKey[] = [];
  for (const segment of text.split(".")) {
    const next = step(segment, { path, tree, schema });
    if (next === undefined) {
      const place = path.length === 0 ? "a workflow" : placeName(tree, path);
      const known = knownAt({ path, tree, schema });
      return refuse(unknownOverride({ path: text, segment, place, known }));
    }
    path.push(next);
  }
  const target = nodeAt(tree, path);
  if (target?.kind === "list" && idsOf(target).length > 0)
    return refuse(overrideConflict({ path: text, problem: "would replace a whole list" }));
  return { status: "found", path };
}

/** The tree with another value at a path; the objects on the way are made where they are missing. */
export function withValueAt(
  tree: MapNode,
  path: readonly PropertyKey[],
  entry: SourceEntry,
): MapNode {
  const changed = replace(tree, path, entry);
  return changed.kind === "map" ? changed : tree;
}

interface Search {
  /** The way so far. */
  readonly path: readonly PropertyKey[];
  readonly tree: MapNode;
  readonly schema: z.ZodType;
}

function step(segment: string, search: Search): PropertyKey | undefined {
  if (FORBIDDEN_KEYS.has(segment) || segment === "") return undefined;
  const { path, tree, schema } = search;
  const node = nodeAt(tree, path);
  if (node?.kind === "list") {
    const index = node.items.findIndex((item) => idOf(item) === segment);
    return index < 0 ? undefined : index;
  }
  const isKnown =
    knownKeys(schema, path, tree).includes(segment) || takesAnyKey(schema, path, tree);
  return isKnown ? segment : undefined;
}

function knownAt({ path, tree, schema }: Search): readonly string[] {
  const node = nodeAt(tree, path);
  return node?.kind === "list" ? idsOf(node) : knownKeys(schema, path, tree);
}

function idsOf(list: ListNode): readonly string[] {
  return list.items.flatMap((item) => idOf(item) ?? []);
}

function idOf(item: SourceNode): string | undefined {
  const id = entryOf(item, "id")?.node;
  return id?.kind === "scalar" && typeof id.value === "string" ? id.value : undefined;
}

function replace(
  node: SourceNode | undefined,
  path: readonly PropertyKey[],
  entry: SourceEntry,
): SourceNode {
  const [key, ...rest] = path;
  if (key === undefined) return entry.node;
  if (node?.kind === "list")
    return {
      ...node,
      items: node.items.map((item, index) => (index === key ? replace(item, rest, entry) : item)),
    };
  const base: MapNode =
    node?.kind === "map" ? node : { ...entry.keyRange, kind: "map", entries: new Map() };
  const name = String(key);
  const member = base.entries.get(name);
  const changed = {
    key: name,
    keyRange: rest.length === 0 ? entry.keyRange : (member?.keyRange ?? entry.keyRange),
    node: replace(member?.node, rest, entry),
  };
  return { ...base, entries: new Map([...base.entries, [name, changed]]) };
}

function refuse(error: TroupeError): OverridePlace {
  return { status: "refused", error };
}
