import { readFileSync } from "node:fs";

/**
 * How long this thread has worked, in ms: a machine that others use too makes it wait besides. Linux counts in ticks of up
 * to 10 ms, so that less than some 20 ms cannot be told.
 */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** What `yardstick` takes on the machine that the limits of tests were chosen for, when nothing else runs there. */
const YARDSTICK_MS = 55;
const ROUNDS = 5;

/**
 * Milliseconds of processor time of the fastest of five runs, or of the first below `enoughMs`: what else
 * the machine does slows single runs down, also on the processor. A run that takes longer is compared with a known piece
 * of work beside it, so that a slow machine, or one whose cores are shared, fails nothing.
 */
export function processorMs(enoughMs: number, run: () => unknown): number {
  let bestMs = Infinity;
  for (let round = 0; round < ROUNDS && bestMs >= enoughMs; round += 1) {
    const tookMs = spentOn(run);
    const slowness = tookMs < enoughMs ? 1 : Math.max(1, spentOn(yardstick) / YARDSTICK_MS);
    bestMs = Math.min(bestMs, tookMs / slowness);
  }
  return bestMs;
}

function spentOn(run: () => unknown): number {
  const before = cpuMs();
  run();
  return cpuMs() - before;
}

/** Work as the limited code does it: texts are searched, objects made. */
function yardstick(): number {
  const text = "a b,c ".repeat(200_000);
  let sum = 0;
  for (const [letter] of text.matchAll(/\w/g)) sum += letter.charCodeAt(0);
  const objects = Array.from({ length: 500_000 }, (_, index) => ({ index }));
  return objects.reduce((total, { index }) => total + index, sum);
}

/** How long the processes have worked that this one has started and that have ended, in ms, to 10 ms; on Linux. */
export function endedProcessesMs(): number {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)?.split(" ") ?? [];
  const [user, system] = fields.slice(13, 15).map(Number);
  if (user === undefined || system === undefined)
    throw new Error("/proc/self/stat has other fields");
  return (user + system) * 10;
}
