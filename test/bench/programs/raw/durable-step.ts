// A chain of steps that each write one line and wait for the disk: microseconds per step.
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { countArgument, printWarmFigure, timed, withFolder } from "../../figure.ts";

const count = countArgument(500);
const padding = " ".repeat(150);

await printWarmFigure(() =>
  withFolder(async (folder) => {
    const file = openSync(join(folder, "log"), "w");
    const durationMs = await timed(async () => {
      for (let step = 0; step < count; step += 1) {
        const output = await Promise.resolve(step);
        writeSync(file, `${JSON.stringify({ type: "settled", step, output })}${padding}\n`);
        fdatasyncSync(file);
      }
    });
    closeSync(file);
    return (durationMs * 1000) / count;
  }),
);
