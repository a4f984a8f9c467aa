// Lines of a log, a thousand per turn of the event loop: durable events per second.
import { createSqliteStore } from "../../../../src/journal/sqlite-store.ts";
import { runProgram } from "../../engine-run.ts";
import { countArgument, printWarmFigure, timed, withFolder } from "../../figure.ts";

const count = countArgument(20_000);
const groupSize = 1000;

await printWarmFigure(() =>
  withFolder(async (folder) => {
    const durationMs = await timed(() =>
      runProgram(createSqliteStore(folder), async (context) => {
        for (let done = 0; done < count; done += groupSize) {
          for (let line = 0; line < groupSize; line += 1) context.log("info", `line ${line}`);
          await context.step("next", () => done);
        }
      }),
    );
    return count / (durationMs / 1000);
  }),
);
