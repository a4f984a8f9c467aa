import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Imports a package from the folder where the loops of others are installed. */
export function load(name) {
  const folder = join(process.env.TROUPE_BENCH_PEERS, "loops");
  const require = createRequire(join(folder, "package.json"));
  return import(pathToFileURL(require.resolve(name)).href);
}
