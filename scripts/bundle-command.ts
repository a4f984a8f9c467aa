import { rename, rm } from "node:fs/promises";
import { rolldown } from "rolldown";

/**
 * Bundles the command and the reaper of a checkout into a directory, with the packages they use: `main.cjs`,
 * `reaper-main.cjs` and what they load on demand. The directory appears whole or not at all.
 */
export async function bundleCommand(checkout: string, directory: string): Promise<void> {
  const bundle = await rolldown({
    cwd: checkout,
    input: { main: "src/main.ts", "reaper-main": "src/host/reaper-main.ts" },
    platform: "node",
    tsconfig: false,
    logLevel: "silent",
  });
  const unfinished = `${directory}.${process.pid}`;
  try {
    await bundle.write({
      dir: unfinished,
      // Modules of this form are linked one by one as they are called for, which is twice as fast.
      format: "cjs",
      entryFileNames: "[name].cjs",
      chunkFileNames: "[name]-[hash].cjs",
    });
    await rename(unfinished, directory);
  } finally {
    await bundle.close();
    await rm(unfinished, { recursive: true, force: true });
  }
}
