// What the memory of this process holds for each agent that is at work, of so many at the same time: KB.
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { z } from "zod";
import { fanOut } from "../../../../src/index.ts";
import { countArgument, printFigure, withFolder } from "../../figure.ts";
import { sdkPlace } from "../../sdk-place.ts";

const count = countArgument(10_000);
setFlagsFromString("--expose-gc");
const collect = z.function({ input: [], output: z.void() }).implement(runInNewContext("gc"));

await withFolder(async (folder) => {
  const place = sdkPlace(join(folder, "project"));
  const over = Promise.withResolvers<string>();
  const worker = (index: number) => ({
    name: `worker-${index}`,
    task: "",
    run: () => over.promise,
  });
  // What the first of them brings is not what each costs.
  const first = fanOut([worker(0)], place);
  await untilAtWork(first.events, 1);
  const beforeBytes = heldBytes();
  const tasks = Array.from({ length: count }, (_, index) => worker(index));
  const many = fanOut(tasks, { ...place, maxConcurrency: count });
  await untilAtWork(many.events, count);
  const heldKb = (heldBytes() - beforeBytes) / 1024;
  over.resolve("done");
  await Promise.all([first.result, many.result]);
  printFigure(heldKb / count);
});

function heldBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

async function untilAtWork(
  events: AsyncIterable<{ readonly type: string }>,
  wanted: number,
): Promise<void> {
  let atWork = 0;
  for await (const { type } of events) {
    if (type === "turn-started") atWork += 1;
    if (atWork === wanted) return;
  }
}
