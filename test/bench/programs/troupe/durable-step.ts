// A chain of steps over the SQLite store: microseconds per step.
import { createSqliteStore } from "../../../../src/journal/sqlite-store.ts";
import { runProgram } from "../../engine-run.ts";
import { countArgument, printWarmFigure, timed, withFolder } from "../../figure.ts";

const count = countArgument(500);

await printWarmFigure(() =>
  withFolder(async (folder) => {
    const durationMs = await timed(() =>
      runProgram(createSqliteStore(folder), async (context) => {
        for (let step = 0; step < count; step += 1) await context.step("work", () => step);
      }),
    );
    return (durationMs * 1000) / count;
  }),
);
