// Side-by-side branches of one step each over the SQLite store, from the first until all is on disk: ms.
import { createSqliteStore } from "../../../../src/journal/sqlite-store.ts";
import { runProgram } from "../../engine-run.ts";
import { countArgument, printWarmFigure, withFolder } from "../../figure.ts";

const branches = Array.from({ length: countArgument(1000) }, (_, branch) => branch);

await printWarmFigure(() =>
  withFolder(async (folder) => {
    let startedMs = Number.NaN;
    await runProgram(createSqliteStore(folder), async (context) => {
      const results = () =>
        branches.map(
          (branch) =>
            context.scope(`branch-${branch}`, (scoped) => scoped.step("work", () => branch)).result,
        );
      startedMs = performance.now();
      await Promise.all(results());
    });
    return performance.now() - startedMs;
  }),
);
