// A step workflow whose steps run code, one after the other: microseconds per step, over the store that the argument names.
import type { RunStore } from "../../../../src/contracts/ports/store.ts";
import { createMemoryStore } from "../../../../src/journal/memory-store.ts";
import { createSqliteStore } from "../../../../src/journal/sqlite-store.ts";
import {
  runStepsInMemory,
  type TestStepWorkflow,
} from "../../../../src/testing/run-workflow-in-memory.ts";
import { printWarmFigure, timed, withFolder } from "../../figure.ts";

const isDurable = process.argv[2] === "durable";
const count = isDurable ? 500 : 2000;

const workflow: TestStepWorkflow = {
  maxIterations: count,
  steps: Array.from({ length: count }, (_, index) => ({
    id: `step-${index}`,
    type: "work",
    routes: index + 1 < count ? { next: `step-${index + 1}` } : {},
  })),
};

await printWarmFigure(() => withFolder(measure));

async function measure(folder: string): Promise<number> {
  const store: RunStore = isDurable ? createSqliteStore(folder) : createMemoryStore();
  const stepTypes = [{ name: "work", execute: () => "done" }];
  const durationMs = await timed(async () => {
    const { outcome } = await runStepsInMemory(workflow, { store, stepTypes });
    if (outcome !== "completed") throw new Error(`the workflow ended as ${outcome}`);
  });
  return (durationMs * 1000) / count;
}
