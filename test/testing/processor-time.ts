/**
 * Milliseconds of processor time of the fastest of five runs, or of the first below `enoughMs`: what else
 * the machine does slows single runs down, also on the processor.
 */
export function processorMs(enoughMs: number, run: () => unknown): number {
  let bestMs = Infinity;
  for (let round = 0; round < 5 && bestMs >= enoughMs; round += 1) {
    const before = process.threadCpuUsage();
    run();
    const { user, system } = process.threadCpuUsage(before);
    bestMs = Math.min(bestMs, (user + system) / 1000);
  }
  return bestMs;
}
