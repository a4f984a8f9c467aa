// A call of a tool over MCP on loopback: median in ms.
import { join } from "node:path";
import { createContextServer } from "../../../../src/mcp/context-server.ts";
import { countArgument, printWarmFigure, withFolder } from "../../figure.ts";
import { medianCallMs, post } from "../../http-call.ts";

const count = countArgument(2000);

const PARAMS = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "bench", version: "1" },
};

await withFolder(async (folder) => {
  const server = createContextServer({ socketPath: join(folder, "run", "s"), version: "1" });
  const access = await server.open({
    run: "run_1",
    instance: "default",
    agent: "ada",
    session: "ada/main",
    tools: ["channel_send"],
    reach: "http",
    call: async () => "done",
  });
  const url = access.url ?? "";
  const headers = {
    Authorization: `Bearer ${access.token}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
  };
  const toBody = (method: string, params: object) =>
    JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const begun = await post({ url, headers, body: toBody("initialize", PARAMS) });
  const session = { "Mcp-Session-Id": String(begun.headers["mcp-session-id"]) };
  const call = {
    url,
    headers: { ...headers, ...session },
    body: toBody("tools/call", { name: "channel_send", arguments: { message: "hi" } }),
  };
  await printWarmFigure(() => medianCallMs(call, { count, expected: "done" }));
  await server.close();
});
process.exit();
