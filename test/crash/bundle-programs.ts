import { mkdirSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

// Inside the package, where a program looks for what comes with it.
const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));
const CACHES = join(CHECKOUT, "node_modules", ".cache");

/**
 * Makes one file of each program that the suite starts and kills hundreds of times, so that it starts in a quarter
 * of the time, and lets all of its processes compile it once. Vitest calls it around all files.
 */
export async function setup(): Promise<() => Promise<void>> {
  mkdirSync(CACHES, { recursive: true });
  const programs = mkdtempSync(join(CACHES, "crash-programs-"));
  const compiled = mkdtempSync(join(tmpdir(), "crash-compiled-"));
  await bundle(programs);
  process.env["CRASH_PROGRAMS"] = programs;
  process.env["NODE_COMPILE_CACHE"] = compiled;
  return async () => {
    // What a killed process has left behind may still be writing.
    const options = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 };
    for (const directory of [programs, compiled]) await rm(directory, options);
  };
}

async function bundle(directory: string): Promise<void> {
  const bundled = await rolldown({
    cwd: CHECKOUT,
    input: {
      "fixture-run": "test/crash/fixture-run.ts",
      "mirror-run": "test/crash/mirror-run.ts",
      "worktree-program": "test/crash/worktree-program.ts",
      "merge-program": "test/crash/merge-program.ts",
      "asking-agent": "test/crash/asking-agent.ts",
      // An owner looks for it beside itself.
      "reaper-main": "src/host/reaper-main.ts",
      "forwarder-main": "src/host/egress/forwarder-main.ts",
    },
    platform: "node",
    tsconfig: false,
    logLevel: "silent",
  });
  try {
    await bundled.write({
      dir: directory,
      format: "esm",
      entryFileNames: "[name].mjs",
      chunkFileNames: "[name]-[hash].mjs",
    });
  } finally {
    await bundled.close();
  }
}
