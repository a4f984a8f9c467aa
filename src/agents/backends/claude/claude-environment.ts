import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionRequest } from "../../../contracts/backend.ts";
import { makeDirectory } from "../../../foundation/make-directory.ts";
import { present } from "../../../foundation/present.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";
import { TOOL_PATIENCE_MS } from "../parts/tool-patience.ts";
import { claudeSignIn } from "./claude-sign-in.ts";

/** The environment of a session's program, and the end of the directory that was made for it. */
export interface ClaudeEnvironment {
  readonly env: { readonly [name: string]: string };
  /** Removes what nobody could find again. */
  dispose(): Promise<void>;
}

// What a workflow names itself wins over these.
const DEFAULTS = {
  // By default it retries for minutes without an end in sight.
  CLAUDE_CODE_MAX_RETRIES: "2",
  // Else the model sees the tools of servers by name only.
  ENABLE_TOOL_SEARCH: "false",
  // In ms; Troupe's own tools bound themselves.
  MCP_TOOL_TIMEOUT: String(TOOL_PATIENCE_MS),
  // It must not begin turns by itself, when a task in the background ends or a time has come.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  CLAUDE_CODE_DISABLE_CRON: "1",
  // Its notes of earlier work would be what one run leaks into the next.
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
  CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: "1",
  CLAUDE_CODE_IDE_SKIP_AUTO_INSTALL: "1",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_ERROR_REPORTING: "1",
  DISABLE_TELEMETRY: "1",
};

/**
 * The environment of a session's program. With a key it gets a configuration directory of its own, which stays
 * with the run so that the session can be resumed; with a login it works with the user's.
 */
export async function createEnvironment(
  request: SessionRequest,
  settings: BackendSettings | undefined,
): Promise<ClaudeEnvironment> {
  const hasKey = claudeSignIn(request.env, settings).by === "key";
  const made =
    request.directory === undefined ? await mkdtemp(join(tmpdir(), "troupe-")) : undefined;
  const directory = made ?? join(request.directory ?? "", "claude");
  const [config, scratch] = [join(directory, "config"), join(directory, "tmp")];
  for (const path of hasKey ? [config, scratch] : [scratch]) makeDirectory(path, 0o700);
  return {
    env: {
      ...DEFAULTS,
      ...request.env,
      ...modelAccess(request.env, settings),
      CLAUDE_CODE_TMPDIR: scratch,
      ...(hasKey ? { CLAUDE_CONFIG_DIR: config } : {}),
    },
    dispose: async () => {
      if (made !== undefined) await rm(made, { recursive: true, force: true });
    },
  };
}

/** What the configuration says of key and address, in the words of the program. */
function modelAccess(
  env: SessionRequest["env"],
  settings: BackendSettings | undefined,
): { readonly [name: string]: string } {
  const { apiKeyEnv, baseUrl } = settings ?? {};
  const key = apiKeyEnv === undefined ? undefined : env[apiKeyEnv];
  return {
    ...present({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: baseUrl }),
  };
}
