import { agentWorkerImporter } from "./agent-worker/agent-worker.ts";
import { openAgentsImporter } from "./openagents/openagents.ts";
import type { Converter, Importer } from "./parts/importer.ts";
import { relayImporter } from "./relay/relay.ts";

/** The tools whose files can be read. A new one is a folder and a line here. */
export const importers: readonly Importer[] = [
  agentWorkerImporter,
  openAgentsImporter,
  relayImporter,
];

/** What reads the files of all of these tools, by their names. */
export async function loadConverters(): Promise<ReadonlyMap<string, Converter>> {
  const loading = importers.map(async ({ name, load }) => [name, await load()] as const);
  return new Map(await Promise.all(loading));
}
