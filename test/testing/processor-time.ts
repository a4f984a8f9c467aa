import { readFileSync } from "node:fs";

/**
 * How long this thread has worked, in ms: a machine that others use too makes it wait besides. Linux counts in ticks of up
 * to 10 ms, so that less than some 20 ms cannot be told.
 */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * Milliseconds of processor time of the fastest of five runs, or of the first below `enoughMs`: what else
 * the machine does slows single runs down, also on the processor.
 */
export function processorMs(enoughMs: number, run: () => unknown): number {
  let bestMs = Infinity;
  for (let round = 0; round < 5 && bestMs >= enoughMs; round += 1) {
    const before = cpuMs();
    run();
    bestMs = Math.min(bestMs, cpuMs() - before);
  }
  return bestMs;
}

/** How long the processes have worked that this one has started and that have ended, in ms, to 10 ms; on Linux. */
export function endedProcessesMs(): number {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)?.split(" ") ?? [];
  const [user, system] = fields.slice(13, 15).map(Number);
  if (user === undefined || system === undefined)
    throw new Error("/proc/self/stat has other fields");
  return (user + system) * 10;
}
