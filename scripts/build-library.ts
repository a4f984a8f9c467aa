// Builds what `import "troupe"` loads into `dist`: the two entry points with the code that they share, bundled, and the
// declarations that their types reach. The packages that package.json names stay imports.
import { cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { rolldown } from "rolldown";

const checkout = join(import.meta.dirname, "..");
const dist = join(checkout, "dist");
const declarations = join(checkout, "temp", "declarations");
/** What package.json exports, and the programs that the library starts in processes of their own, by their place in `dist`. */
const ENTRIES = {
  index: "src/index.ts",
  "testing/index": "src/testing/index.ts",
  "reaper-main": "src/host/reaper-main.ts",
  "forwarder-main": "src/host/egress/forwarder-main.ts",
};

await bundleLibrary();
copyDeclarations(["index.d.ts", "testing/index.d.ts"]);
rmSync(declarations, { recursive: true });

async function bundleLibrary(): Promise<void> {
  const bundled = await rolldown({
    cwd: checkout,
    input: ENTRIES,
    platform: "node",
    external: (id) => !id.startsWith(".") && !id.startsWith("/"),
    tsconfig: false,
    logLevel: "warn",
  });
  try {
    await bundled.write({
      dir: dist,
      format: "esm",
      entryFileNames: "[name].js",
      // Flat: the modules that start the reaper and the forwarder look for them in their own directory.
      chunkFileNames: "[name]-[hash].js",
      comments: false,
      // Names stay as they are, so that stacks can be read.
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    });
  } finally {
    await bundled.close();
  }
}

/** Copies the declarations of the entries and of all that they import. Throws where one is missing. */
function copyDeclarations(entries: readonly string[]): void {
  const waiting = [...entries];
  const copied = new Set<string>();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (copied.has(file)) continue;
    copied.add(file);
    const source = join(declarations, file);
    cpSync(source, join(dist, file));
    for (const [, path = ""] of readFileSync(source, "utf8").matchAll(
      /(?:from|import)\s*\(?\s*"(\.[^"]+)\.[jt]s"/g,
    )) {
      const imported = join(dirname(source), `${path}.d.ts`);
      if (!existsSync(imported)) throw new Error(`${file} imports ${path}, which has no types`);
      waiting.push(relative(declarations, imported));
    }
  }
}
