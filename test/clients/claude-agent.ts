import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ClientAgent, type ClientOptions, MODEL_KEY, stdioServer } from "./client-agent.ts";

/** Claude Code for one turn: the task on stdin, the answer on stdout. */
export function claudeAgent(options: ClientOptions): ClientAgent {
  const { program, modelUrl, home, transport, agent } = options;
  const configFile = join(home, "mcp.json");
  const server = transport === "http" ? httpServer : { type: "stdio", ...stdioServer(agent) };
  mkdirSync(home, { recursive: true });
  writeFileSync(configFile, JSON.stringify({ mcpServers: { troupe: server } }));
  const model = ["--model", "claude-sonnet-4-5"];
  const tools = [
    "--mcp-config",
    configFile,
    "--strict-mcp-config",
    "--allowedTools",
    "mcp__troupe",
  ];
  return {
    backend: "command",
    command: [...program, "-p", ...model, ...tools],
    env: {
      HOME: home,
      CLAUDE_CONFIG_DIR: join(home, "claude"),
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: MODEL_KEY,
      // By default it retries for minutes without a word.
      CLAUDE_CODE_MAX_RETRIES: "1",
      // Else a model sees the tools of servers by name only.
      ENABLE_TOOL_SEARCH: "false",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_TELEMETRY: "1",
    },
  };
}

// The client fills in what its own environment says: the file holds no secret.
const httpServer = {
  type: "http",
  url: "${TROUPE_CONTEXT_URL}",
  headers: { Authorization: "Bearer ${TROUPE_CONTEXT_TOKEN}" },
};
