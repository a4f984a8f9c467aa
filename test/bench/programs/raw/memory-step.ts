// A chain of steps as a hand-written loop that notes beginning and end of each: microseconds per step.
import { countArgument, printWarmFigure, timed } from "../../figure.ts";

const count = countArgument(20_000);

await printWarmFigure(async () => {
  const journal: string[] = [];
  const durationMs = await timed(async () => {
    for (let step = 0; step < count; step += 1) {
      journal.push(JSON.stringify({ seq: journal.length, type: "scheduled", step }));
      const output = await Promise.resolve(step);
      journal.push(JSON.stringify({ seq: journal.length, type: "settled", step, output }));
    }
  });
  return (durationMs * 1000) / count;
});
