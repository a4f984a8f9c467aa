import type { Importer } from "../parts/importer.ts";
import { findTellingKey } from "./telling-key.ts";

/** Files of agent-worker: its workflows, and the workspaces that came after them. */
export const agentWorkerImporter: Importer = {
  name: "agent-worker",
  shape: "kickoff",
  findTellingKey,
  load: async () => (await import("./convert-file.ts")).convertAgentWorkerFile,
};
