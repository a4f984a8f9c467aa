import { entryOf, type MapNode } from "../../source/source-node.ts";
import type { Importer, TellingKey } from "../parts/importer.ts";

/** Files of relay: `relay.yaml`, its workflows, and `.relay/relay.yaml`, which names or holds one. */
export const relayImporter: Importer = {
  name: "relay",
  shape: "pattern",
  findTellingKey,
  load: async () => (await import("./convert-file.ts")).convertRelayFile,
};

/** `swarm` or a list of `workflows`; of a file that also has keys of troupe, none is. */
function findTellingKey(root: MapNode): TellingKey | undefined {
  if (["pattern", "template", "kickoff"].some((key) => root.entries.has(key))) return undefined;
  const swarm = entryOf(root, "swarm");
  if (swarm !== undefined) return { place: "swarm", entry: swarm };
  const workflows = entryOf(root, "workflows");
  return workflows?.node.kind === "list" ? { place: "workflows", entry: workflows } : undefined;
}
