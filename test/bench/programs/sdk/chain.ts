// A pipeline of function agents as a user writes it, until its result is durable: microseconds per step.
import { join } from "node:path";
import { pipeline } from "../../../../src/index.ts";
import { countArgument, printWarmFigure, timed, withFolder } from "../../figure.ts";
import { sdkPlace } from "../../sdk-place.ts";

const count = countArgument(100);
const stages = Array.from({ length: count }, (_, index) => ({
  name: `stage-${index}`,
  task: "",
  run: () => `result ${index}`,
}));

const measure = (home: string) =>
  withFolder(async (folder) => {
    const place = sdkPlace(join(folder, "project"), home);
    const durationMs = await timed(async () => {
      const { success } = await pipeline(stages, place).result;
      if (!success) throw new Error("the pipeline failed");
    });
    return (durationMs * 1000) / count;
  });

// As the databases of others, her home is there before the clock starts.
await withFolder((home) => printWarmFigure(() => measure(home), Number(process.argv[3] ?? 2)));
