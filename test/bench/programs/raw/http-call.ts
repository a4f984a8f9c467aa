// A bare HTTP server on loopback that reads JSON and answers JSON: median of a call in ms.
import { createServer } from "node:http";
import { countArgument, printWarmFigure } from "../../figure.ts";
import { medianCallMs } from "../../http-call.ts";

const count = countArgument(2000);

const server = createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  request.on("end", () => {
    const { id } = JSON.parse(text);
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: { text: "done" } }));
  });
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const address = server.address();
if (address === null || typeof address === "string") throw new Error("no port");
const call = {
  url: `http://127.0.0.1:${address.port}/`,
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call" }),
};
await printWarmFigure(() => medianCallMs(call, { count, expected: "done" }));
process.exit();
