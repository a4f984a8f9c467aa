import { declareCommand } from "../command/command.ts";

/** `troupe mcp` */
export const mcpCommand = declareCommand({
  name: "mcp",
  group: "Agents",
  authority: "own-run",
  summary: "serve an agent's tools to an MCP client on standard input and output",
  options: [{ flags: "--agent <name>", about: "fail unless the agent is this one" }],
  notes: [
    "It is for MCP clients that an agent runs, as a server of type stdio. They hand",
    "on TROUPE_CONTEXT_TOKEN and TROUPE_CONTEXT_SOCKET of their own environment.",
  ],
});
