import { existsSync } from "node:fs";
import { join } from "node:path";
import { peersFolder } from "./peers.ts";

/** The loops of agents that Troupe's is measured beside, in the versions that their programs are written for. */
export const loopPeerVersions = {
  ai: "7.0.173",
  "@ai-sdk/openai-compatible": "3.0.92",
  "@openai/agents": "0.20.0",
  "@mastra/core": "1.71.0",
  "@langchain/core": "1.4.0",
  "@langchain/langgraph": "1.7.3",
  "@langchain/langgraph-checkpoint-sqlite": "1.0.4",
  "@langchain/openai": "1.6.0",
  "better-sqlite3": "13.2.0",
  zod: "4.6.7",
} as const;

/** Where `npm run bench:loop-peers` installs them: outside the checkout. */
export function loopPeersFolder(): string {
  return join(peersFolder(), "loops");
}

/** Whether `npm run bench:loop-peers` has brought it. */
export function isLoopPeerInstalled(name: keyof typeof loopPeerVersions): boolean {
  return existsSync(join(loopPeersFolder(), "node_modules", name, "package.json"));
}
