// Opening a run of many finished steps and replaying it until its program goes on: ms.
import { createSqliteStore } from "../../../../src/journal/sqlite-store.ts";
import { type BenchProgram, resumeProgram, runProgram } from "../../engine-run.ts";
import { countArgument, printWarmFigure, timed, withFolder } from "../../figure.ts";

const steps = Array.from({ length: countArgument(10_000) }, (_, step) => step);
const aDayMs = 86_400_000;

await withFolder(async (folder) => {
  const store = createSqliteStore(folder);
  const program: BenchProgram = async (context, letGo) => {
    await Promise.all(steps.map((step) => context.step("work", () => step)));
    letGo();
    await context.sleep(aDayMs);
  };
  await runProgram(store, program);
  await printWarmFigure(() => timed(() => resumeProgram(store, program)));
});
