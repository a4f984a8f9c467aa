import { expect, test } from "vitest";
import { builtInTools } from "../../src/tools/registry.ts";
import { callTool, connectClient, openDoor, REVISIONS, WAYS } from "./door.ts";

const cases = WAYS.flatMap((way) => REVISIONS.map((revision) => ({ way, revision })));

test.each(cases)(
  "a client of revision $revision finds and calls the tools of its agent by the $way [MCP-1.tools, MCP-2]",
  async (ways) => {
    const client = await connectClient(await openDoor().letIn("ada"), ways);
    expect(client.getServerVersion()).toMatchObject({ name: "workflow-context", version: "1.2.3" });
    expect(client.getNegotiatedProtocolVersion()).toBe(ways.revision);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(builtInTools.map(({ name }) => name));
    expect(await callTool(client, "channel_send", { message: "hi" })).toEqual({
      text: JSON.stringify({ agent: "ada", tool: "channel_send", input: { message: "hi" } }),
      isError: false,
    });
  },
);
