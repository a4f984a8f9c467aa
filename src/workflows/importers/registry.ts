import { agentWorkerImporter } from "./agent-worker/agent-worker.ts";
import type { Importer } from "./parts/importer.ts";
import { relayImporter } from "./relay/relay.ts";

/** The tools whose files can be read. A new one is a folder and a line here. */
export const importers: readonly Importer[] = [agentWorkerImporter, relayImporter];
