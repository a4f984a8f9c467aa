// Command agents of /bin/true, so many at the same time: agents per second.
import { join } from "node:path";
import { fanOut } from "../../../../src/index.ts";
import { countArgument, printWarmFigure, timed, withFolder } from "../../figure.ts";
import { sdkPlace } from "../../sdk-place.ts";

const count = countArgument(200);
const tasks = Array.from({ length: count }, (_, index) => ({
  name: `worker-${index}`,
  task: "",
  command: ["/bin/true"],
}));

await printWarmFigure(() =>
  withFolder(async (folder) => {
    const options = { maxConcurrency: 4, ...sdkPlace(join(folder, "project")) };
    const durationMs = await timed(async () => {
      const { success } = await fanOut(tasks, options).result;
      if (!success) throw new Error("the fan-out failed");
    });
    return (count * 1000) / durationMs;
  }),
);
