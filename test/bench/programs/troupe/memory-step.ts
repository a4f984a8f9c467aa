// A chain of steps over the memory store: microseconds per step.
import { createMemoryStore } from "../../../../src/journal/memory-store.ts";
import { runProgram } from "../../engine-run.ts";
import { countArgument, printWarmFigure, timed } from "../../figure.ts";

const count = countArgument(20_000);

await printWarmFigure(async () => {
  const durationMs = await timed(() =>
    runProgram(createMemoryStore(), async (context) => {
      for (let step = 0; step < count; step += 1) await context.step("work", () => step);
    }),
  );
  return (durationMs * 1000) / count;
});
