import { entryOf, type MapNode } from "../../source/source-node.ts";
import type { Importer, TellingKey } from "../parts/importer.ts";

/** Workflows of OpenAgents, a plug-in of opencode: JSON files of `.openagents/workflows`. */
export const openAgentsImporter: Importer = {
  name: "openagents",
  shape: "steps",
  findTellingKey,
  findOwnKey,
  load: async () => (await import("./convert-file.ts")).convertOpenAgentsFile,
};

/** Keys of a workflow that nothing else here has. */
const TELLING: readonly string[] = [
  ...["max_context_size", "context_retention", "persist", "persist_dir", "trace", "debug"],
];

/** Keys of a step workflow that OpenAgents does not have. */
const OWN: readonly string[] = [
  ...["$schema", "agents", "backend", "budget", "max_concurrency", "max_errors", "options"],
  ...["pass_env", "tags", "trajectory", "pattern", "template", "swarm", "kickoff"],
];

/** A key that only workflows of OpenAgents have. Of a file that also has keys of troupe, none is. */
function findTellingKey(root: MapNode): TellingKey | undefined {
  const isOfSteps = entryOf(root, "steps")?.node.kind === "list";
  if (!isOfSteps || findOwnKey(root) !== undefined) return undefined;
  return find(root, TELLING);
}

/** A key that workflows of OpenAgents never have. */
function findOwnKey(root: MapNode): TellingKey | undefined {
  return find(root, OWN);
}

function find(root: MapNode, keys: readonly string[]): TellingKey | undefined {
  const entry = keys.map((key) => root.entries.get(key)).find(Boolean);
  return entry === undefined ? undefined : { place: entry.key, entry };
}
