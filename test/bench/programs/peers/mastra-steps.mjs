// Steps of one workflow over libsql, one after the other (us per step) or side by side (ms for all).
import { join } from "node:path";
import { load, printColdFigure, printWarmFigure, withFolder } from "./load.mjs";

const { Mastra } = await load("@mastra/core");
const { createStep, createWorkflow } = await load("@mastra/core/workflows");
const { LibSQLStore } = await load("@mastra/libsql");
const { createClient } = await load("@libsql/client");
const { z } = await load("zod");
const count = Number(process.argv[2] ?? 100);
const isChain = process.argv[3] !== "fan-out";
const schema = z.object({ text: z.string() });

const ends = { inputSchema: schema, outputSchema: schema };

function chain() {
  let workflow = createWorkflow({ id: "flow", ...ends });
  for (let index = 0; index < count; index += 1) {
    const execute = async () => ({ text: `result ${index}` });
    workflow = workflow.then(createStep({ id: `stage-${index}`, ...ends, execute }));
  }
  return workflow.commit();
}

function fanOut() {
  const many = z.array(schema);
  const execute = async ({ inputData: { text } }) => ({ text: `result ${text}` });
  return createWorkflow({ id: "flow", inputSchema: many, outputSchema: many })
    .foreach(createStep({ id: "work", ...ends, execute }), { concurrency: count })
    .commit();
}

const inputData = isChain
  ? { text: "" }
  : Array.from({ length: count }, (_, index) => ({ text: `${index}` }));
const print = count < 10_000 ? printWarmFigure : printColdFigure;
await print(isChain ? 1000 / count : 1, (timed) =>
  withFolder(async (folder) => {
    const client = createClient({ url: `file:${join(folder, "mastra.db")}`, concurrency: 1 });
    const storage = new LibSQLStore({ id: "store", client });
    await storage.init();
    // Its own setting is NORMAL, which loses what was said to be done when the machine stops.
    await client.execute("PRAGMA synchronous = FULL");
    const mastra = new Mastra({
      storage,
      workflows: { flow: isChain ? chain() : fanOut() },
      logger: false,
    });
    const run = await mastra.getWorkflow("flow").createRun();
    const result = await timed(() => run.start({ inputData }));
    if (result.status !== "success") throw new Error(`ended as ${result.status}`);
    const { rows } = await client.execute("PRAGMA synchronous");
    if (rows[0].synchronous !== 2) throw new Error("it did not wait for the disk");
    client.close();
  }),
);
