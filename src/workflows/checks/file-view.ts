import { ID_PATTERN } from "../../foundation/ids.ts";
import { MAX_STEPS } from "../schema/pattern-file-schema.ts";
import type {
  ListNode,
  MapNode,
  ScalarNode,
  SourceNode,
  SourceRange,
} from "../source/source-node.ts";
import { entryOf } from "../source/source-node.ts";

/** A text of the file with its place. */
export interface LocatedText {
  readonly text: string;
  readonly node: ScalarNode;
}

/** Something with an id, as far as the file is readable there. */
export interface LocatedItem {
  /** The id, or undefined when it is missing or no text. */
  readonly id: string | undefined;
  readonly idRange: SourceRange;
  readonly node: SourceNode;
}

/** The parts of a pattern file that refer to each other. Wrongly typed parts are left out: the schema reports them. */
export interface FileView {
  readonly root: MapNode;
  readonly pattern: string | undefined;
  readonly agents: readonly LocatedItem[];
  readonly steps: readonly LocatedItem[];
  readonly barriers: readonly LocatedItem[];
  readonly params: readonly LocatedItem[];
}

/** Finds the parts of a pattern file. */
export function viewFile(root: MapNode): FileView {
  const barriers = entryOf(entryOf(root, "coordination")?.node, "barriers")?.node;
  return {
    root,
    pattern: textAt(root, "pattern")?.text,
    agents: itemsOf(entryOf(root, "agents")?.node),
    steps: itemsOf(entryOf(root, "steps")?.node).slice(0, MAX_STEPS),
    barriers: itemsOf(barriers),
    params: itemsOf(entryOf(root, "params")?.node),
  };
}

/** The well-formed ids of items: short enough to be compared with misspelt ones. */
export function idsOf(items: readonly LocatedItem[]): readonly string[] {
  return items.flatMap(({ id }) => (id !== undefined && ID_PATTERN.test(id) ? [id] : []));
}

/** Most names that a misspelt one is compared with. */
export const MAX_NEAR_NAMES = 300;

/** Ids that a hint may name. */
export function nearIds(items: readonly LocatedItem[]): readonly string[] {
  return idsOf(items).slice(0, MAX_NEAR_NAMES);
}

/** How an item is called in messages: its id, else its position. */
export function labelOf(item: LocatedItem, items: readonly LocatedItem[]): string {
  return item.id ?? String(items.indexOf(item));
}

/** The text under a key, if there is one. */
export function textAt(node: SourceNode | undefined, key: string): LocatedText | undefined {
  return toText(entryOf(node, key)?.node);
}

/** The texts of the list under a key. */
export function textsAt(node: SourceNode | undefined, key: string): readonly LocatedText[] {
  return textList(entryOf(node, key)?.node);
}

/** The items of the list under a key. */
export function listAt(node: SourceNode | undefined, key: string): ListNode["items"] {
  const list = entryOf(node, key)?.node;
  return list?.kind === "list" ? list.items : [];
}

/** A text alone or a list of texts, as commands are. */
export function textList(node: SourceNode | undefined): readonly LocatedText[] {
  const nodes = node?.kind === "list" ? node.items : [node];
  return nodes.flatMap((item) => toText(item) ?? []);
}

/** The texts of an object's members. */
export function memberTexts(node: SourceNode | undefined): readonly LocatedText[] {
  if (node?.kind !== "map") return [];
  return [...node.entries.values()].flatMap((entry) => toText(entry.node) ?? []);
}

/** Every text of a value, however deep; keys are none. */
export function textsWithin(node: SourceNode | undefined): readonly LocatedText[] {
  if (node?.kind === "list") return node.items.flatMap(textsWithin);
  if (node?.kind === "map")
    return [...node.entries.values()].flatMap((entry) => textsWithin(entry.node));
  return [toText(node) ?? []].flat();
}

function toText(node: SourceNode | undefined): LocatedText | undefined {
  if (node?.kind !== "scalar" || typeof node.value !== "string") return undefined;
  return { text: node.value, node };
}

function itemsOf(node: SourceNode | undefined): readonly LocatedItem[] {
  if (node?.kind === "map")
    return [...node.entries.values()].map(({ key, keyRange, node: member }) => {
      return { id: key, idRange: keyRange, node: member };
    });
  if (node?.kind !== "list") return [];
  return node.items.map((item) => {
    const id = textAt(item, "id");
    return { id: id?.text, idRange: id?.node ?? item, node: item };
  });
}
