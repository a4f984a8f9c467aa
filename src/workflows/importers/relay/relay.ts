import { entryOf, type MapNode } from "../../source/source-node.ts";
import type { Importer, TellingKey } from "../parts/importer.ts";

/** Files of relay: `relay.yaml`, its workflows, and `.relay/relay.yaml`, which names or holds one. */
export const relayImporter: Importer = {
  name: "relay",
  shape: "pattern",
  findTellingKey,
  findOwnKey: (root) => (findSwarm(root) === undefined ? findKeyOfTroupe(root) : undefined),
  load: async () => (await import("./convert-file.ts")).convertRelayFile,
};

const KEYS_OF_TROUPE: readonly string[] = ["pattern", "template", "kickoff", "initial_context"];

function findKeyOfTroupe(root: MapNode): TellingKey | undefined {
  const entry = KEYS_OF_TROUPE.map((key) => root.entries.get(key)).find(Boolean);
  return entry === undefined ? undefined : { place: entry.key, entry };
}

/** What tells a file of relay; of a file that also has keys of troupe, nothing does. */
function findTellingKey(root: MapNode): TellingKey | undefined {
  return findKeyOfTroupe(root) === undefined ? findSwarm(root) : undefined;
}

/** `swarm` or a list of `workflows`. */
function findSwarm(root: MapNode): TellingKey | undefined {
  const swarm = entryOf(root, "swarm");
  if (swarm !== undefined) return { place: "swarm", entry: swarm };
  const workflows = entryOf(root, "workflows");
  return workflows?.node.kind === "list" ? { place: "workflows", entry: workflows } : undefined;
}
