import { existsSync, statSync } from "node:fs";
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { packageFile } from "../../../foundation/package-file.ts";

/** What the package exports, in a checkout and in a package. */
const ENTRIES: ReadonlyMap<string, readonly string[]> = new Map([
  ["troupe", ["src/index.ts", "dist/index.js"]],
  ["troupe/testing", ["src/testing/index.ts", "dist/testing/index.js"]],
]);

/**
 * Loads a module that somebody named, as it is now: a long-lived process does not go on with what its file held
 * before. Where the package `troupe` is not installed beside it, this one takes its place. Raises what loading raises.
 */
export async function importModule(file: string): Promise<unknown> {
  const { mtimeMs, size } = statSync(file);
  const url = `${pathToFileURL(file).href}?troupe=${Math.trunc(mtimeMs)}-${size}`;
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      try {
        return next(specifier, context);
      } catch (error) {
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
