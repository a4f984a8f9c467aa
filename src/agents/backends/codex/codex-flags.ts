import { dirname } from "node:path";
import type { SessionRequest, SignIn } from "../../../contracts/backend.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";
import { hidesNativeAgents } from "../parts/native-agents.ts";
import { TOOL_PATIENCE_MS } from "../parts/tool-patience.ts";
import { TROUPE_SERVER } from "./codex-item.ts";
import { modelAddress } from "./codex-sign-in.ts";
import { type TomlValue, tomlValue } from "./toml-value.ts";

/** What the command line of Codex depends on. */
export interface FlagSources {
  readonly request: Pick<SessionRequest, "access" | "cwd" | "env" | "spec" | "trustsProject">;
  readonly settings: BackendSettings | undefined;
  readonly signIn: SignIn;
}

const TOOLS_START_SEC = 20;
const STREAM_RETRIES = 2;
const OPENAI = "https://api.openai.com/v1";
const CONTEXT_TOKEN = "TROUPE_CONTEXT_TOKEN";

// What loads code of others, calls other addresses, works on by itself after a turn, retries for ever, or
// writes the environment with its secrets into files.
const OFF = [
  ...["apps", "plugins", "remote_plugin", "memories", "goals"],
  ...["unbounded_connection_retries", "shell_snapshot"],
];

/** Settings and switches for any Codex of an agent, so that no file decides what it may do. */
export function codexFlags(sources: FlagSources): readonly string[] {
  const { request, signIn } = sources;
  const { spec, trustsProject = false } = request;
  const settings: { readonly [name: string]: TomlValue } = {
    ...modelProvider(sources),
    "analytics.enabled": false,
    check_for_update_on_startup: false,
    notify: [],
    // The model's provider searches without asking: only for agents that are told that they may.
    web_search: spec.tools?.includes("WebSearch") ? "live" : "disabled",
    projects: trust(request.cwd, trustsProject),
    "sandbox_workspace_write.exclude_slash_tmp": true,
    // Its directory for temporary files is its own.
    "sandbox_workspace_write.exclude_tmpdir_env_var": false,
    // Marks of processes reach all that it starts; its key does not.
    "shell_environment_policy.inherit": "all",
    "shell_environment_policy.ignore_default_excludes": true,
    "shell_environment_policy.exclude": signIn.by === "key" ? [signIn.variable] : [],
    ...contextServer(request),
  };
  const off = [
    ...OFF,
    ...(trustsProject ? [] : ["hooks"]),
    ...(spec.tools?.includes("Task") && !hidesNativeAgents(spec) ? [] : ["multi_agent"]),
  ];
  return [
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${tomlValue(value)}`]),
    ...off.flatMap((feature) => ["--disable", feature]),
  ];
}

/** A provider of Troupe's own, unless the user's login goes where Codex by itself goes. */
function modelProvider({ request, settings, signIn }: FlagSources): {
  readonly [name: string]: TomlValue;
} {
  const address = modelAddress(request.env, settings);
  if (signIn.by !== "key" && address === undefined) return {};
  const credentials: { readonly [name: string]: TomlValue } =
    signIn.by === "key"
      ? { env_key: signIn.variable }
      : { requires_openai_auth: signIn.by === "login" };
  const provider = {
    name: address === undefined ? "OpenAI" : "troupe",
    base_url: address ?? OPENAI,
    wire_api: "responses",
    // These are silent and multiply with those of the stream, which are told.
    request_max_retries: 0,
    stream_max_retries: STREAM_RETRIES,
    ...credentials,
  };
  return { model_provider: "troupe", "model_providers.troupe": provider };
}

/**
 * Says of the working directory and all above it whether their `.codex` counts. It is said in any case:
 * Codex takes a directory that nobody spoke of for trusted when it may write there, and notes that down.
 */
function trust(cwd: string, isTrusted: boolean): TomlValue {
  const level = { trust_level: isTrusted ? "trusted" : "untrusted" };
  return Object.fromEntries(directoriesUpFrom(cwd).map((directory) => [directory, level]));
}

function directoriesUpFrom(directory: string): readonly string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...directoriesUpFrom(parent)];
}

function contextServer({ access }: FlagSources["request"]): { readonly [name: string]: TomlValue } {
  if (access?.url === undefined) return {};
  const server = {
    url: access.url,
    bearer_token_env_var: CONTEXT_TOKEN,
    required: true,
    startup_timeout_sec: TOOLS_START_SEC,
    tool_timeout_sec: TOOL_PATIENCE_MS / 1000,
    // Whether an agent may do what a tool does is decided where the tool is.
    default_tools_approval_mode: "approve",
  };
  return { [`mcp_servers.${TROUPE_SERVER}`]: server };
}
