import { entryOf, type MapNode, type SourceEntry } from "../../source/source-node.ts";
import { entryAt, mapAt, membersOf, scalarAt, textOf } from "../parts/nodes.ts";
import { type Notes, settleRest } from "../parts/notes.ts";
import { renameVariables } from "./rename-variables.ts";
import { OWN_CONTEXT_KEYS } from "./telling-key.ts";

const AT = ["context"];
const NO_NAMES: ReadonlySet<string> = new Set();

/** What agents share: there it is on unless it is switched off. */
export function convertContext(
  notes: Notes,
  root: MapNode,
  source: string,
): SourceEntry | undefined {
  const entry = entryOf(root, "context");
  const data = entryOf(root, "data_dir");
  if (entry === undefined || (entry.node.kind === "scalar" && entry.node.value === null)) {
    const place = entry?.keyRange ?? entryOf(root, "agents")?.keyRange ?? root;
    const dir = dirEntry(notes, data, source);
    const shared = dir === undefined ? scalarAt(null, place) : mapAt([dir], place);
    return entryAt("context", shared, place);
  }
  const { node } = entry;
  if (node.kind !== "map") return entry;
  const config = entryOf(node, "config")?.node;
  tellProvider(notes, node);
  const bind = entryOf(config, "bind");
  tellRest(notes, node, bind);
  const own = membersOf(node).filter(({ key }) => OWN_CONTEXT_KEYS.includes(key));
  const members = [...own, dirEntry(notes, bind ?? entryOf(config, "dir") ?? data, source)];
  const isEmpty = members.every((member) => member === undefined);
  return entryAt("context", isEmpty ? scalarAt(null, node) : mapAt(members, node), entry.keyRange);
}

function dirEntry(
  notes: Notes,
  entry: SourceEntry | undefined,
  source: string,
): SourceEntry | undefined {
  if (entry?.node.kind !== "scalar") return undefined;
  const place = entry.key === "data_dir" ? entry.key : `context.config.${entry.key}`;
  const dir = renameVariables(notes, { node: entry.node, place, at: AT, names: NO_NAMES, source });
  return entryAt("dir", dir, entry.keyRange);
}

function tellProvider(notes: Notes, node: MapNode): void {
  const provider = entryOf(node, "provider");
  const name = textOf(provider?.node);
  if (provider === undefined || name === "file" || name === "memory") return;
  const spot = { place: "context.provider", range: provider.node, at: AT, entry: provider };
  notes.refused(spot, { what: `there is no provider ${JSON.stringify(name)}` });
}

function tellRest(notes: Notes, node: MapNode, bind: SourceEntry | undefined): void {
  const members = { entries: membersOf(node), place: "context", at: AT };
  const owner = {
    what: "every agent may write to the shared document",
    hint: "say in system_prompt who writes, or let it claim a document of its own",
  };
  settleRest(notes, members, {
    taken: ["provider", "config", ...OWN_CONTEXT_KEYS],
    leftOut: { documentOwner: owner },
  });
  const config = { entries: membersOf(entryOf(node, "config")?.node), place: "context.config" };
  const second = { dir: { what: "bind says where the files lie" } };
  settleRest(
    notes,
    { ...config, at: AT },
    bind === undefined ? { taken: ["dir"] } : { taken: ["bind"], leftOut: second },
  );
  if (bind === undefined) return;
  const what = "becomes dir: the document goes on, the messages of earlier runs stay in a file";
  notes.changed({ place: "context.config.bind", range: bind.keyRange, at: AT }, { what });
}
