import { mkdtempSync, rmSync } from "node:fs";
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

/**
 * Prints the median of three measurements in ms times `scale`, after two to warm up, or as many as the last argument
 * of the program says: of what `work` has timed, or of all of it.
 */
export function printWarmFigure(scale, work) {
  return printMedian({ warmUps: Number(process.argv[4] ?? 2), rounds: 3, scale }, work);
}

/** The same of one measurement without any to warm up, where one alone takes a minute. */
export function printColdFigure(scale, work) {
  return printMedian({ warmUps: 0, rounds: 1, scale }, work);
}

async function printMedian({ warmUps, rounds, scale }, work) {
  const figures = [];
  for (let round = 0; round < warmUps + rounds; round += 1) {
    const beganMs = performance.now();
    let part;
    await work(async (measured) => {
      const startedMs = performance.now();
      const result = await measured();
      part = performance.now() - startedMs;
      return result;
    });
    const durationMs = part ?? performance.now() - beganMs;
    if (round >= warmUps) figures.push(durationMs * scale);
  }
  figures.sort((left, right) => left - right);
  printFigure(figures[Math.floor(rounds / 2)]);
}

/** Runs `work` with a fresh folder in the current directory, on the disk of the benchmark, and removes it. */
export async function withFolder(work) {
  const folder = mkdtempSync(join(process.cwd(), "peer-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
