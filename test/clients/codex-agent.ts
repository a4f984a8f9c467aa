import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type ClientAgent, type ClientOptions, MODEL_KEY, stdioServer } from "./client-agent.ts";

/** Codex for one turn. The shell inserts the address of the tools, which only the environment knows. */
export function codexAgent(options: ClientOptions): ClientAgent {
  const { program, modelUrl, home, transport, agent } = options;
  const codexHome = join(home, "codex");
  const temporary = join(home, "temporary");
  for (const directory of [codexHome, temporary]) mkdirSync(directory, { recursive: true });
  const settings = [
    `model="scripted"`,
    `model_provider="scripted"`,
    `model_providers.scripted={name="scripted",base_url="${modelUrl}/v1",env_key="MODEL_KEY",wire_api="responses",request_max_retries=1,stream_max_retries=1}`,
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
    transport === "http" ? httpServer : localServer(agent),
  ];
  const flags = ["--skip-git-repo-check", "--disable", "plugins", "-s", "read-only"];
  const configured = settings.flatMap((setting) => ["-c", setting]);
  const args = [...program, "exec", ...flags, ...configured, "-"];
  return {
    backend: "command",
    command: `exec ${args.map(quoted).join(" ")}`,
    env: { HOME: home, CODEX_HOME: codexHome, MODEL_KEY, TMPDIR: temporary },
  };
}

const URL_IN_SHELL = "$TROUPE_CONTEXT_URL";
const serverOptions = "required=true,startup_timeout_sec=20";
const httpServer = `mcp_servers.troupe={url="${URL_IN_SHELL}",bearer_token_env_var="TROUPE_CONTEXT_TOKEN",${serverOptions}}`;

function localServer(agent: string): string {
  const { command, args } = stdioServer(agent);
  const names = ["TROUPE_CONTEXT_TOKEN", "TROUPE_CONTEXT_SOCKET"];
  const [commandText, argsText, namesText] = [command, args, names].map((value) =>
    JSON.stringify(value),
  );
  return `mcp_servers.troupe={command=${commandText},args=${argsText},env_vars=${namesText},${serverOptions}}`;
}

/** One word for the shell, where nothing but the address of the tools is inserted. */
function quoted(word: string): string {
  const parts = word.split(URL_IN_SHELL).map((part) => `'${part.replaceAll("'", "'\\''")}'`);
  return parts.join(`"${URL_IN_SHELL}"`);
}
