// Steps of one durable handler over its server, one after the other (us per step) or side by side (ms for all).
import { once } from "node:events";
import { createServer } from "node:http2";
import { load, printColdFigure, printWarmFigure, withFolder } from "./load.mjs";
import { startRestate } from "./restate.mjs";

const { createEndpointHandler, RestatePromise, service } = await load("@restatedev/restate-sdk");
const count = Number(process.argv[2] ?? 100);
const isChain = process.argv[3] !== "fan-out";

const step = (context, index) => context.run(`step-${index}`, async () => `result ${index}`);
const steps = service({
  name: "steps",
  handlers: {
    chain: async (context) => {
      const results = [];
      for (let index = 0; index < count; index += 1) results.push(await step(context, index));
      return results;
    },
    all: (context) =>
      RestatePromise.all(Array.from({ length: count }, (_, index) => step(context, index))),
  },
});
const endpoint = createServer(createEndpointHandler({ services: [steps], logger: () => {} }));
endpoint.listen(0, "127.0.0.1");
await once(endpoint, "listening");
await withFolder(async (folder) => {
  const server = await startRestate(folder, endpoint.address().port);
  const print = count < 10_000 ? printWarmFigure : printColdFigure;
  await print(isChain ? 1000 / count : 1, async (timed) => {
    const results = await timed(() => server.call(isChain ? "steps/chain" : "steps/all"));
    if (results.at(-1) !== `result ${count - 1}`) throw new Error(`${results.length} of ${count}`);
  });
  await server.stop();
});
process.exit();
