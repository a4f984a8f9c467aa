import type { AgentBackend } from "../../../contracts/backend.ts";
import type { Clock } from "../../../foundation/clock.ts";
import type { ProcessHost } from "../../../host/host.ts";
import type { ProgramDescriptor } from "../parts/backend-descriptor.ts";
import type { OwnSettings } from "../parts/backend-settings.ts";
import { createProgramBackend } from "../parts/program-backend.ts";
import type { RefusedArguments } from "../parts/refused-arguments.ts";
import { TOOL_PATIENCE_MS } from "../parts/tool-patience.ts";
import {
  claudeAccountName,
  claudeAddresses,
  claudeSignIn,
  claudeVariables,
} from "./claude-sign-in.ts";

/** They would let something other than Troupe decide what is permitted, or take its place at the pipes. */
const REFUSED: RefusedArguments = {
  names: [
    // Permissions.
    ...["permission-mode", "permission-prompt-tool", "permission-prompts", "allowed-tools"],
    ...["tools", "allow-tools", "allow-unattended-tool-calls", "accept-command"],
    ...["enable-auto-mode"],
    // What is configured, and code of others.
    ...["settings", "setting-sources", "managed-settings", "mcp-config", "plugin-dir"],
    ...["plugin-url", "agent", "agents", "agent-teams", "channels", "chrome", "ide"],
    // Sessions, and where they run.
    ...["session-id", "resume", "continue", "fork-session", "from-pr", "teleport", "cloud"],
    ...[
      "environment",
      "remote",
      "remote-control",
      "background",
      "bg",
      "desktop",
      "worktree",
      "tmux",
    ],
    ...["attach-serve", "sdk-url"],
    // How it is talked to.
    ...["input-format", "output-format"],
  ],
  letters: "crw",
  valueLetters: "nd",
};

/** What Troupe knows of claude. */
export const CLAUDE: ProgramDescriptor = {
  name: "claude",
  program: {
    file: "claude",
    install: "npm install -g @anthropic-ai/claude-code",
    signIn: "start claude once, or set ANTHROPIC_API_KEY",
    tested: "2.1.330",
  },
  isChosenByItself: true,
  obeys: [".claude", ".mcp.json"],
  providers: ["anthropic"],
  toolCallTimeoutMs: TOOL_PATIENCE_MS,
  refuses: REFUSED,
};

/**
 * The backend of Claude Code, Anthropic's command line: one program per session, JSON lines over its pipes.
 * `open` raises BACKEND_NOT_FOUND, BACKEND_SETTINGS_INVALID, BACKEND_SESSION_UNKNOWN, BACKEND_EXITED,
 * BACKEND_PROTOCOL and HOST_* errors; turns also fail with BACKEND_OVERLOADED, BACKEND_NOT_SIGNED_IN,
 * BACKEND_PROVIDER_REFUSED and BACKEND_PROVIDER_FAILED.
 */
export function createClaudeBackend(
  { host, clock }: { readonly host: ProcessHost; readonly clock: Clock },
  own: OwnSettings,
): AgentBackend {
  const { settings } = own;
  return createProgramBackend(
    CLAUDE,
    { host, own },
    {
      passes: claudeVariables(settings),
      // It tells what its turns cost, but not for models that it has no price of, and not when it is killed:
      // so it is not `exact`.
      reach: "http",
      livesInSandbox: true,
      notSignedIn: {
        message: "Claude Code is not signed in",
        hint: "run `claude` and then /login in it, or set ANTHROPIC_API_KEY",
      },
      signIn: (env) => claudeSignIn(env, settings),
      modelAddresses: (env) => claudeAddresses(env, settings),
      account: (env) => claudeAccountName(env, settings),
      open: async (request) => {
        const { openClaudeSession } = await import("./claude-session.ts");
        return openClaudeSession({ request, settings, host, clock });
      },
      interactive: async (request) => {
        const { interactiveClaude } = await import("./interactive-claude.ts");
        return interactiveClaude(request, settings);
      },
    },
  );
}
