import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The peers that rows are measured beside, in the versions that their programs are written for. */
export const peerVersions = {
  xstate: "5.33.3",
  "@mastra/core": "1.71.0",
  "@langchain/core": "1.4.0",
  "@langchain/langgraph": "1.7.3",
  zod: "4.6.7",
} as const;

/** Where `npm run bench:peers` installs them: outside the checkout. */
export function peersFolder(): string {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return join(cache, "troupe", "bench-peers");
}

export function isInstalled(name: keyof typeof peerVersions): boolean {
  return existsSync(join(peersFolder(), "node_modules", name, "package.json"));
}
