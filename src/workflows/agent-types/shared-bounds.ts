import { parseSource } from "../source/parse-source.ts";
import {
  type MapNode,
  placedAt,
  type SourceEntry,
  type SourceNode,
} from "../source/source-node.ts";

// What settings of opencode say for all agents that say nothing else.
const SHARED = ["permission", "tools"];

/** What bounds all agents by the text of an `opencode.json`; undefined where it says nothing of the kind, or cannot be read. */
export function readSharedBounds(text: string, file: string): MapNode | undefined {
  const { root, faults } = parseSource(text.replace(/^\uFEFF/, ""), file);
  return root?.kind === "map" && faults.length === 0 ? sharedBounds(root) : undefined;
}

/** The same of settings that are read; `placedAt` the beginning of whatever is bound by it. */
export function sharedBounds(root: MapNode): MapNode | undefined {
  const said = SHARED.flatMap((key) => {
    const entry = root.entries.get(key);
    return entry === undefined || allowsAll(entry.node) ? [] : [[key, entry] as const];
  });
  if (said.length === 0) return undefined;
  return placedAt({ ...root, entries: new Map(said) }, { start: 0, end: 0 });
}

/** What is said of an agent, with what is said for all where it says nothing else itself. */
export function withSharedBounds(own: MapNode, shared: MapNode | undefined): MapNode {
  if (shared === undefined) return own;
  const entries = new Map(own.entries);
  for (const [key, all] of shared.entries) entries.set(key, mergedEntry(all, entries.get(key)));
  return { ...own, entries };
}

function allowsAll(node: SourceNode): boolean {
  return node.kind === "scalar" && node.value === "allow";
}

/** What cannot be merged stays as it is for all, so that no agent is bound less than that says. */
function mergedEntry(all: SourceEntry, own: SourceEntry | undefined): SourceEntry {
  if (own === undefined || all.node.kind !== "map" || own.node.kind !== "map") return all;
  const entries = new Map([...all.node.entries, ...own.node.entries]);
  return { ...own, node: { ...own.node, entries } };
}
