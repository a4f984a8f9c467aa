import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type OutputChunk, rolldown } from "rolldown";

/** What stands in the code for the hash of all of it. */
const HASH_PLACE = "__BUNDLE_HASH__";

/**
 * Bundles the command, the reaper and the forwarder of a checkout into a directory, with the packages they use:
 * `main.cjs`, which loads `parts.js`, `reaper-main.cjs` and `forwarder-main.cjs`. The directory appears whole or not
 * at all.
 */
export async function bundleCommand(checkout: string, directory: string): Promise<void> {
  const [parts, [reaper], [forwarder]] = await Promise.all([
    bundle(checkout, { main: "src/main.ts" }),
    bundle(checkout, { "reaper-main": "src/host/reaper-main.ts" }),
    bundle(checkout, { "forwarder-main": "src/host/egress/forwarder-main.ts" }),
  ]);
  const source = toSource(parts);
  const hash = createHash("sha256").update(source).digest("hex").slice(0, 16);
  const loader = await readFile(join(checkout, "scripts", "command-loader.cjs"), "utf8");
  const unfinished = `${directory}.${process.pid}`;
  try {
    await mkdir(unfinished, { recursive: true });
    await writeFile(join(unfinished, "parts.js"), source.replaceAll(HASH_PLACE, hash));
    await writeFile(join(unfinished, "main.cjs"), loader.replace(HASH_PLACE, hash));
    await writeFile(join(unfinished, "reaper-main.cjs"), reaper?.code ?? "");
    await writeFile(join(unfinished, "forwarder-main.cjs"), forwarder?.code ?? "");
    await rename(unfinished, directory);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function bundle(
  checkout: string,
  input: { readonly [name: string]: string },
): Promise<readonly OutputChunk[]> {
  const bundled = await rolldown({
    cwd: checkout,
    input: { ...input },
    platform: "node",
    tsconfig: false,
    logLevel: "silent",
  });
  try {
    const { output } = await bundled.generate({
      // Modules of this form are linked one by one as they are called for.
      format: "cjs",
      entryFileNames: "[name].cjs",
      chunkFileNames: "[name]-[hash].cjs",
    });
    return output.filter((item) => item.type === "chunk");
  } finally {
    await bundled.close();
  }
}

/** One script whose value is a function that gives all parts by name, each of them the function of a module. */
function toSource(parts: readonly OutputChunk[]): string {
  const entries = parts.map(
    ({ fileName, code }) =>
      `${JSON.stringify(`./${fileName}`)}(exports, require, module, __filename, __dirname) {${code}\n}`,
  );
  // What lies between U+0080 and U+FFFF stands in texts, patterns and comments alone, where an escape is the same.
  return `(() => ({\n${entries.join(",\n")}\n}))\n`.replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
