import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Imports a package from the folder where the peers are installed. */
export function load(name) {
  const require = createRequire(join(process.env.TROUPE_BENCH_PEERS, "package.json"));
  return import(pathToFileURL(require.resolve(name)).href);
}

export function printFigure(figure) {
  console.log(JSON.stringify({ figure }));
}

/** Prints the median of three measurements in ms times `scale`, after two to warm up. */
export async function printWarmFigure(scale, work) {
  const figures = [];
  for (let round = 0; round < 5; round += 1) {
    const startedMs = performance.now();
    await work();
    if (round >= 2) figures.push((performance.now() - startedMs) * scale);
  }
  printFigure(figures.toSorted((left, right) => left - right)[1]);
}
