import { existsSync, statSync } from "node:fs";
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { packageFile } from "../../../foundation/package-file.ts";

/** What the package exports, in a checkout and in a package. */
const ENTRIES: ReadonlyMap<string, readonly string[]> = new Map([
  ["troupe", ["src/index.ts", "dist/index.js"]],
  ["troupe/testing", ["src/testing/index.ts", "dist/testing/index.js"]],
]);

/** What schemas of one's own are made with: that of this package does where none is installed beside the module. */
const SCHEMAS = "zod";

/**
 * Loads a module that somebody named, as it is now: a long-lived process does not go on with what its file held
 * before. Where the packages `troupe` and `zod` are not installed beside it, those here take their place. Raises what
 * loading raises.
 */
export async function importModule(file: string): Promise<unknown> {
  const { mtimeMs, size } = statSync(file);
  const url = `${pathToFileURL(file).href}?troupe=${Math.trunc(mtimeMs)}-${size}`;
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      try {
        return next(specifier, context);
      } catch (error) {
        if (specifier === SCHEMAS) return next(specifier, { ...context, parentURL: ownUrl() });
        const entry = ENTRIES.get(specifier)
          ?.map(packageFile)
          .find((path) => existsSync(path));
        if (entry === undefined) throw error;
        return next(pathToFileURL(entry).href, context);
      }
    },
  });
  try {
    return await import(url);
  } finally {
    hooks.deregister();
  }
}

/** An address inside of this package. */
function ownUrl(): string {
  return pathToFileURL(packageFile("package.json")).href;
}
