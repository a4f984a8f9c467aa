import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Lets the hundreds of processes of the suite compile their modules once; vitest calls it around all files. */
export async function setup(): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), "crash-compiled-"));
  process.env["NODE_COMPILE_CACHE"] = directory;
  // What a killed process has left behind may still be writing.
  return () => rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
