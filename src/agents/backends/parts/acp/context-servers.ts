import type { InitializeResponse, McpServer } from "@agentclientprotocol/sdk";
import type { SessionRequest } from "../../../../contracts/backend.ts";
import { packageFile } from "../../../../foundation/package-file.ts";

/** The MCP servers of a session: Troupe's own, over HTTP where the program can, else as `troupe mcp`. */
export function contextServers(
  { access, spec }: Pick<SessionRequest, "access" | "spec">,
  { agentCapabilities }: Pick<InitializeResponse, "agentCapabilities">,
): McpServer[] {
  if (access === undefined) return [];
  const { token, url, socketPath } = access;
  if (url !== undefined && agentCapabilities?.mcpCapabilities?.http === true) {
    const headers = [{ name: "Authorization", value: `Bearer ${token}` }];
    return [{ type: "http", name: "troupe", url, headers }];
  }
  return [
    {
      name: "troupe",
      command: process.execPath,
      args: [packageFile("bin/troupe.js"), "mcp", "--agent", spec.id],
      env: [
        { name: "TROUPE_CONTEXT_TOKEN", value: token },
        socketPath === undefined
          ? { name: "TROUPE_CONTEXT_URL", value: url ?? "" }
          : { name: "TROUPE_CONTEXT_SOCKET", value: socketPath },
      ],
    },
  ];
}
