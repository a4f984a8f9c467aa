import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { medianOf } from "./median.ts";

const rounds = 3;

/** Prints what a program measured; the harness reads the last line. */
export function printFigure(figure: number): void {
  process.stdout.write(`${JSON.stringify({ figure })}\n`);
}

/** Prints the median of a few measurements, after others that let the compiler of Node settle. */
export async function printWarmFigure(
  measure: () => Promise<number>,
  warmUps: number = 2,
): Promise<void> {
  const figures: number[] = [];
  for (let round = 0; round < warmUps + rounds; round += 1) {
    const figure = await measure();
    if (round >= warmUps) figures.push(figure);
  }
  printFigure(medianOf(figures));
}

/** How long `work` takes, in ms. */
export async function timed(work: () => Promise<unknown> | unknown): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** Runs `work` with a fresh folder in the current directory and removes it. */
export async function withFolder<Result>(
  work: (folder: string) => Promise<Result> | Result,
): Promise<Result> {
  const folder = mkdtempSync(join(process.cwd(), "bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A number given on the command line, or its default. */
export function countArgument(fallback: number): number {
  return Number(process.argv[2] ?? fallback);
}
