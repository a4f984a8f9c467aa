// Function agents side by side as a user writes them, until the result is there (durable: on disk): ms.
import { join } from "node:path";
import { fanOut } from "../../../../src/index.ts";
import { countArgument, printWarmFigure, timed, withFolder } from "../../figure.ts";
import { sdkPlace } from "../../sdk-place.ts";

const count = countArgument(1000);
const isDurable = process.argv[3] === "durable";
const tasks = Array.from({ length: count }, (_, index) => ({
  name: `worker-${index}`,
  task: "",
  run: () => `result ${index}`,
}));

const measure = (home: string) =>
  withFolder(async (folder) => {
    const place = sdkPlace(join(folder, "project"), home);
    const options = { maxConcurrency: count, ...place };
    const given = isDurable ? options : { ...options, store: "memory" as const };
    return timed(async () => {
      const { success } = await fanOut(tasks, given).result;
      if (!success) throw new Error("the fan-out failed");
    });
  });

// As the databases of others, her home is there before the clock starts.
await withFolder((home) => printWarmFigure(() => measure(home)));
