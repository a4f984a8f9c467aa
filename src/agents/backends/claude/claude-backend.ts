import type { AgentBackend } from "../../../contracts/backend.ts";
import type { Clock } from "../../../foundation/clock.ts";
import type { ProcessHost } from "../../../host/host.ts";
import type { OwnSettings } from "../parts/backend-settings.ts";
import { createProgramBackend } from "../parts/program-backend.ts";
import { CLAUDE } from "./claude-descriptor.ts";
import {
  claudeAccountName,
  claudeAddresses,
  claudeSignIn,
  claudeVariables,
} from "./claude-sign-in.ts";

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
