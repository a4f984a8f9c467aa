// How much more of the processor a chain in memory takes that is ten times as long.
import { createMemoryStore } from "../../../../src/journal/memory-store.ts";
import { runProgram } from "../../engine-run.ts";
import { countArgument, printWarmFigure } from "../../figure.ts";

const count = countArgument(2000);

await printWarmFigure(async () => (await chain(count * 10)) / (await chain(count)));

async function chain(steps: number): Promise<number> {
  const before = process.threadCpuUsage();
  await runProgram(createMemoryStore(), async (context) => {
    for (let step = 0; step < steps; step += 1) await context.step("work", () => step);
  });
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}
