import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

const manifest = z.object({ dependencies: z.record(z.string(), z.string()) });
const installed = z.object({ version: z.string() });

/** Their package and its lockfile: the versions that the programs of the benchmark are written for. */
export const peersPackage: string = join(import.meta.dirname, "peers");

/** Where `npm run bench:peers` installs them: outside the checkout. */
export function peersFolder(): string {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return join(cache, "troupe", "bench-peers");
}

/** Every peer by name, in its version. */
export function peerVersions(): ReadonlyMap<string, string> {
  const text = readFileSync(join(peersPackage, "package.json"), "utf8");
  return new Map(Object.entries(manifest.parse(JSON.parse(text)).dependencies));
}

/** Whether it is there in the version that is measured. */
export function isInstalled(name: string): boolean {
  const file = join(peersFolder(), "node_modules", name, "package.json");
  try {
    const { version } = installed.parse(JSON.parse(readFileSync(file, "utf8")));
    return version === peerVersions().get(name);
  } catch {
    return false;
  }
}
