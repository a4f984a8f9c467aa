import { entryOf, type SourceEntry, type SourceNode } from "../../source/source-node.ts";
import { entryAt, mapAt, membersOf, scalarAt, textOf } from "../parts/nodes.ts";
import { type Notes, settleRest } from "../parts/notes.ts";

/** The params of a file: a list there, a map here. What is no such list is left to the checks. */
export function convertParams(
  notes: Notes,
  entry: SourceEntry | undefined,
): SourceEntry | undefined {
  if (entry?.node.kind !== "list") return entry;
  const params = entry.node.items.map((item, index) => convertParam(notes, item, index));
  return entryAt("params", mapAt(params, entry.node), entry.keyRange);
}

function convertParam(notes: Notes, node: SourceNode, index: number): SourceEntry | undefined {
  const given = entryOf(node, "name");
  const name = textOf(given?.node);
  const place = `params[${index}]`;
  if (given === undefined || name === undefined) {
    notes.refused({ place, range: node, at: ["params"] }, { what: "it has no name" });
    return undefined;
  }
  const hint = `give it with -i ${name}=VALUE`;
  const members = { entries: membersOf(node), place, at: ["params", name] };
  settleRest(notes, members, {
    taken: ["name", "type", "required", "default", "description"],
    leftOut: { short: { what: "params have no options of their own", hint } },
  });
  const type = entryOf(node, "type");
  const typeName = textOf(type?.node) ?? "string";
  const fallback = defaultOf(entryOf(node, "default"), typeName);
  const isRequired = textOf(entryOf(node, "required")?.node) === "true";
  const required = fallback === undefined ? scalarAt(isRequired, given.node) : undefined;
  const spec = mapAt(
    [
      entryAt(
        "type",
        scalarAt(typeName, type?.node ?? given.node),
        type?.keyRange ?? given.keyRange,
      ),
      entryOf(node, "description"),
      required === undefined ? undefined : entryAt("required", required, given.keyRange),
      fallback,
    ],
    node,
  );
  return entryAt(name, spec, given.node);
}

/** Defaults are texts there; here they have the type of the param. */
function defaultOf(entry: SourceEntry | undefined, type: string): SourceEntry | undefined {
  const text = textOf(entry?.node);
  if (entry === undefined || text === undefined) return undefined;
  const { node, keyRange } = entry;
  if (type === "string") return entryAt("default", scalarAt(text, node), keyRange);
  if (type === "number" && text.trim() !== "" && Number.isFinite(Number(text)))
    return entryAt("default", scalarAt(Number(text), node), keyRange);
  if (type === "boolean" && (text === "true" || text === "false"))
    return entryAt("default", scalarAt(text === "true", node), keyRange);
  return entry;
}
