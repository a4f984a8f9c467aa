import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Absolute path of a file that comes with this package, by its path in the package: `docs/reference/errors.md`. */
export function packageFile(path: string): string {
  return join(packageDirectory(import.meta.dirname), path);
}

// Sources, built modules and the bundled command lie at different depths of the package.
function packageDirectory(from: string): string {
  if (existsSync(join(from, "bin", "troupe.js"))) return from;
  const parent = dirname(from);
  if (parent === from) throw new Error("the package of troupe is not complete: bin is missing");
  return packageDirectory(parent);
}
