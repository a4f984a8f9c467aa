import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type OutputChunk, rolldown } from "rolldown";

/** What stands in the code for the hash of all of it. */
const HASH_PLACE = "__BUNDLE_HASH__";

// Every command reads what is smaller, whether it needs it or not: a second look at the disk costs more.
const LARGE_PART_CHARS = 32_000;

/** What most commands load, beside what they load with it. */
const OFTEN_LOADED = [
  "src/main.ts",
  "src/cli/actions/run.ts",
  "src/workflows/shapes/pattern-file.ts",
  "src/workflows/shapes/steps-file.ts",
  "src/app/workflow/shapes/pattern-shape.ts",
  "src/app/workflow/shapes/steps-shape.ts",
];

/**
 * Bundles the command, the reaper and the forwarder of a checkout into a directory, with the packages they use:
 * `main.cjs`, which loads `parts.js` and from `more.js` large parts that few commands call for, `reaper-main.cjs` and
 * `forwarder-main.cjs`. The directory appears whole or not at all.
 */
export async function bundleCommand(checkout: string, directory: string): Promise<void> {
  const [parts, [reaper], [forwarder]] = await Promise.all([
    bundle(checkout, { main: "src/main.ts" }),
    bundle(checkout, { "reaper-main": "src/host/reaper-main.ts" }),
    bundle(checkout, { "forwarder-main": "src/host/egress/forwarder-main.ts" }),
  ]);
  const often = partsNeeded(parts, checkout);
  const isApart = (part: OutputChunk) => part.code.length > LARGE_PART_CHARS && !often.has(part);
  const more = parts
    .filter(isApart)
    .map((part) => ({ part, source: `(function ${toFunction(part)})\n` }));
  const source = toSource(
    parts.filter((part) => !isApart(part)),
    more,
  );
  const hash = createHash("sha256").update(source).digest("hex").slice(0, 16);
  const loader = await readFile(join(checkout, "scripts", "command-loader.cjs"), "utf8");
  const unfinished = `${directory}.${process.pid}`;
  try {
    await mkdir(unfinished, { recursive: true });
    await writeFile(join(unfinished, "parts.js"), source.replaceAll(HASH_PLACE, hash));
    await writeFile(join(unfinished, "main.cjs"), loader.replace(HASH_PLACE, hash));
    await writeFile(join(unfinished, "more.js"), more.map((each) => each.source).join(""));
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
      // Half of the text is indentation and comments, a quarter names of variables. Functions and classes keep theirs, for
      // those who read a stack.
      comments: { legal: true, annotation: false, jsdoc: false },
      minify: { compress: false, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
    });
    return output.filter((item) => item.type === "chunk");
  } finally {
    await bundled.close();
  }
}

/** The parts of `OFTEN_LOADED` and those that are loaded with them. */
function partsNeeded(parts: readonly OutputChunk[], checkout: string): ReadonlySet<OutputChunk> {
  const roots = OFTEN_LOADED.map((file) => join(checkout, file));
  const needed = new Set<OutputChunk>();
  const add = (part: OutputChunk) => {
    if (needed.has(part)) return;
    needed.add(part);
    for (const each of parts) if (part.imports.includes(each.fileName)) add(each);
  };
  for (const part of parts) if (part.moduleIds.some((id) => roots.includes(id))) add(part);
  return needed;
}

/** A part with the script whose value is its function. */
interface PartApart {
  readonly part: OutputChunk;
  readonly source: string;
}

/** One script whose value is a function that gives all parts by name: the function of a module, or from where to where it stands in `more.js`. */
function toSource(parts: readonly OutputChunk[], more: readonly PartApart[]): string {
  let end = 0;
  const entries = [
    ...parts.map((part) => `${nameOf(part)}${toFunction(part)}`),
    ...more.map(({ part, source }) => {
      const start = end;
      end += source.length;
      return `${nameOf(part)}: [${start}, ${end}]`;
    }),
  ];
  return `(() => ({\n${entries.join(",\n")}\n}))\n`;
}

/** How modules ask for a part. */
function nameOf({ fileName }: OutputChunk): string {
  return JSON.stringify(`./${fileName}`);
}

/** The function of a module, from its parameters on. */
function toFunction({ code }: OutputChunk): string {
  // What lies between U+0080 and U+FFFF stands in texts, patterns and comments alone, where an escape is the same.
  const ascii = code.replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `(exports, require, module, __filename, __dirname) {${ascii}\n}`;
}
