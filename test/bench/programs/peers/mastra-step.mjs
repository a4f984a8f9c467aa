// A chain of steps of one workflow, in memory: microseconds per step.
import { load, printWarmFigure } from "./load.mjs";

const { createStep, createWorkflow } = await load("@mastra/core/workflows");
const { z } = await load("zod");
const count = Number(process.argv[2] ?? 500);
const schema = z.object({ step: z.number() });

const ends = { inputSchema: schema, outputSchema: schema };
let workflow = createWorkflow({ id: "chain", ...ends });
for (let index = 0; index < count; index += 1) {
  const execute = async ({ inputData }) => ({ step: inputData.step + 1 });
  workflow = workflow.then(createStep({ id: `step-${index}`, ...ends, execute }));
}
workflow.commit();
await printWarmFigure(1000 / count, async () => {
  const run = await workflow.createRun();
  const result = await run.start({ inputData: { step: 0 } });
  if (result.status !== "success") throw new Error(`ended as ${result.status}`);
});
