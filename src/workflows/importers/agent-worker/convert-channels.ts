import { entryOf, type MapNode, type SourceEntry } from "../../source/source-node.ts";
import { entryAt, mapAt, membersOf, scalarAt, textOf } from "./nodes.ts";
import type { Notes } from "./notes.ts";

const FIRST_CHANNEL = "general";

/** The one channel that all agents share here; further ones are told of. Its name is in `options`. */
export function convertChannels(notes: Notes, root: MapNode): SourceEntry | undefined {
  const options = entryOf(root, "options");
  const list = entryOf(root, "channels");
  const named = entryOf(root, "default_channel");
  const place = named ?? list;
  const name = textOf(named?.node) ?? FIRST_CHANNEL;
  tellOthers(notes, list, { place: "channels", name, at: [] });
  const agents = entryOf(root, "agents")?.node;
  for (const { key, node } of membersOf(agents))
    tellOthers(notes, entryOf(node, "channels"), {
      place: `agents.${key}.channels`,
      name,
      at: ["agents", key],
    });
  if (place === undefined) return options;
  const channel = entryAt("channel", scalarAt(name, place.node), place.keyRange);
  return entryAt(
    "options",
    mapAt([...membersOf(options?.node), channel], options?.node ?? place.node),
    options?.keyRange ?? place.keyRange,
  );
}

interface ListSpot {
  readonly place: string;
  readonly name: string;
  readonly at: readonly string[];
}

function tellOthers(
  notes: Notes,
  entry: SourceEntry | undefined,
  { place, name, at }: ListSpot,
): void {
  if (entry?.node.kind !== "list") return;
  const spot = { place, range: entry.keyRange, at, entry };
  // Before `bridges` had that name, the same list said which platforms the channel reaches.
  if (entry.node.items.some(({ kind }) => kind === "map")) {
    const hint = "remove it; people write with troupe send";
    notes.refused(spot, { what: "nothing connects the channel with other platforms", hint });
    return;
  }
  const others = entry.node.items.flatMap((item) => textOf(item) ?? []);
  if (others.every((other) => other === name)) return;
  const what = `all agents share the channel ${name}`;
  notes.leftOut(spot, { what, hint: "mention agents to reach them" });
}
