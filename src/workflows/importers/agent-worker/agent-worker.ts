import type { Importer } from "../parts/importer.ts";
import { findOwnKey, findTellingKey } from "./telling-key.ts";

/** Files of agent-worker: its workflows, and the workspaces that came after them. */
export const agentWorkerImporter: Importer = {
  name: "agent-worker",
  shape: "kickoff",
  findTellingKey,
  findOwnKey,
  load: async () => (await import("./convert-file.ts")).convertAgentWorkerFile,
};
