import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClientName } from "../clients/pinned-clients.ts";
import type { AgentBench } from "./agent-bench.ts";

/** How a client is started for one prompt on its standard input. */
export interface BareClient {
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
}

/** The one-shot modes, each as quiet and as alone as Troupe has it. */
export const bareClients: { readonly [name in ClientName]: (bench: AgentBench) => BareClient } = {
  claude: ({ root }) => ({
    args: [
      ...["-p", "--output-format=stream-json", "--verbose", "--include-partial-messages"],
      ...["--strict-mcp-config", "--setting-sources=", "--model=claude-sonnet-4-5"],
    ],
    env: {
      CLAUDE_CONFIG_DIR: join(root, "claude"),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_TELEMETRY: "1",
    },
  }),
  codex: ({ root, modelUrl }) => {
    const home = join(root, "codex");
    mkdirSync(home);
    const provider = `{name="scripted",base_url="${modelUrl}/v1",env_key="OPENAI_API_KEY",wire_api="responses"}`;
    const settings = [
      ...['model="scripted"', 'model_provider="scripted"'],
      ...[`model_providers.scripted=${provider}`, "analytics.enabled=false"],
      "check_for_update_on_startup=false",
    ];
    const flags = ["--json", "--skip-git-repo-check", "--disable", "plugins", "-s", "read-only"];
    const configured = settings.flatMap((setting) => ["-c", setting]);
    return { args: ["exec", ...flags, ...configured, "-"], env: { CODEX_HOME: home } };
  },
  gemini: ({ home }) => {
    const settings = {
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      security: { auth: { selectedType: "gemini-api-key" } },
    };
    mkdirSync(join(home, ".gemini"));
    writeFileSync(join(home, ".gemini/settings.json"), JSON.stringify(settings));
    const env = { GEMINI_CLI_TRUST_WORKSPACE: "true", GEMINI_CLI_NO_RELAUNCH: "true" };
    return { args: ["-m", "gemini-2.5-pro", "-o", "stream-json"], env };
  },
  opencode: ({ modelUrl }) => {
    const options = { baseURL: `${modelUrl}/v1` };
    const models = { model: { name: "model" } };
    const scripted = { npm: "@ai-sdk/openai-compatible", options, models };
    return {
      args: ["run", "--format=json", "--model=scripted/model"],
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify({ provider: { scripted } }),
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
      },
    };
  },
};
