import type { AgentSpec } from "../../../contracts/agent.ts";
import type { SessionRequest } from "../../../contracts/backend.ts";
import type { Json } from "../../../foundation/json.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";
import { hidesNativeAgents } from "../parts/native-agents.ts";
import { geminiSignIn, usesVertex } from "./gemini-sign-in.ts";

const ATTEMPTS = 3;
// Tools of Gemini by the names that Troupe gives them.
const TOOLS: { readonly [tool: string]: readonly string[] } = {
  Bash: ["run_shell_command"],
  Read: ["read_file", "read_many_files"],
  Write: ["write_file"],
  Edit: ["replace"],
  Glob: ["glob", "list_directory"],
  Grep: ["grep_search"],
  WebFetch: ["web_fetch"],
  WebSearch: ["google_web_search"],
  Task: ["invoke_agent"],
};

/** A rule over Gemini's own, which lets commands run unasked that it thinks harmless. */
export const ASKS_FOR_COMMANDS = `[[rule]]
toolName = "run_shell_command"
argsPattern = "command"
decision = "ask_user"
priority = 900
`;

/** What the settings of a session depend on. */
export interface SettingsParts {
  readonly env: { readonly [name: string]: string };
  readonly settings: BackendSettings | undefined;
  readonly request: Pick<SessionRequest, "spec" | "trustsProject">;
}

/** The settings of a user who has none but these. */
export function geminiSettings({ env, settings, request }: SettingsParts): Json {
  const { spec, trustsProject = false } = request;
  return {
    general: {
      enableAutoUpdate: false,
      enableAutoUpdateNotification: false,
      maxAttempts: ATTEMPTS,
    },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    security: { auth: { selectedType: authType(env, settings) }, disableYoloMode: true },
    // Its output comes as text, not as a screen.
    tools: { exclude: excluded(spec), shell: { enableInteractiveShell: false } },
    ...(trustsProject ? {} : { hooksConfig: { enabled: false }, mcp: { allowed: ["troupe"] } }),
  };
}

function authType(env: SettingsParts["env"], settings: BackendSettings | undefined): string {
  if (geminiSignIn(env, settings).by === "login") return "oauth-personal";
  return usesVertex(env, settings) ? "vertex-ai" : "gemini-api-key";
}

function excluded(spec: AgentSpec): Json[] {
  const { tools: allowed } = spec;
  const mayUse = (tool: string) =>
    (allowed === undefined || allowed.includes(tool)) &&
    !(tool === "Task" && hidesNativeAgents(spec));
  return Object.entries(TOOLS).flatMap(([tool, names]) => (mayUse(tool) ? [] : names));
}
