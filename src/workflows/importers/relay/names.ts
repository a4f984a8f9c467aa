import { ID_PATTERN } from "../../../foundation/ids.ts";
import {
  entryOf,
  type ScalarNode,
  type SourceEntry,
  type SourceNode,
} from "../../source/source-node.ts";
import { entryAt, scalarAt, textOf } from "../parts/nodes.ts";
import type { Notes } from "../parts/notes.ts";

/** What a name of relay is as an id; names that are ids stay as they are. */
export function idOf(name: string): string {
  if (ID_PATTERN.test(name)) return name;
  const base = name.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^-+|-+$/g, "");
  return (ID_PATTERN.test(base) ? base : `n-${base}`).slice(0, 64);
}

/** The id of an agent, step or file, told where it is not what was written. */
export function idEntry(
  notes: Notes,
  named: SourceEntry,
  { place, at, key = "id" }: { place: string; at: readonly string[]; key?: string },
): SourceEntry {
  const name = textOf(named.node);
  if (name === undefined) return entryAt(key, named.node, named.keyRange);
  const id = idOf(name);
  if (id !== name)
    notes.changed(
      { place: place === "" ? named.key : `${place}.${named.key}`, range: named.node, at },
      { what: `becomes ${id}: ids are letters, digits, _ and -` },
    );
  return entryAt(key, scalarAt(id, named.node), named.keyRange);
}

/** A name where something is referred to, as the id of what it names. */
export function reference(node: SourceNode): SourceNode {
  const name = textOf(node);
  return name === undefined ? node : scalarAt(idOf(name), node);
}

/** A name alone or a list of names, each with its place. */
export function namesIn(node: SourceNode | undefined): readonly ScalarNode[] {
  if (node === undefined) return [];
  const items = node.kind === "list" ? node.items : [node];
  return items.flatMap((item) => (item.kind === "scalar" && item.value !== null ? [item] : []));
}

/** The directory that `workdir` names, as `cwd`. */
export function namedDirectory(
  notes: Notes,
  {
    node,
    paths,
    place,
    at,
  }: {
    readonly node: SourceNode;
    /** `paths` of the file. */
    readonly paths: SourceNode | undefined;
    readonly place: string;
    readonly at: readonly string[];
  },
): SourceEntry | undefined {
  const workdir = entryOf(node, "workdir");
  if (workdir === undefined) return undefined;
  const name = textOf(workdir.node);
  const items = paths?.kind === "list" ? paths.items : [];
  const found = items.find((item) => textOf(entryOf(item, "name")?.node) === name);
  const path = entryOf(found, "path")?.node;
  const text = textOf(path);
  if (path === undefined || text === undefined || text.includes("$")) {
    const what = `paths names no directory ${JSON.stringify(name ?? null)} that is known now`;
    notes.refused({ place: `${place}.workdir`, range: workdir.node, at, entry: workdir }, { what });
    return undefined;
  }
  return entryAt("cwd", scalarAt(text, workdir.node), workdir.keyRange);
}
