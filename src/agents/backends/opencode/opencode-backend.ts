import type { AgentBackend } from "../../../contracts/backend.ts";
import type { Clock } from "../../../foundation/clock.ts";
import type { ProcessHost } from "../../../host/host.ts";
import { createAcpProgramBackend } from "../parts/acp/acp-program-backend.ts";
import { findAgentProgram } from "../parts/agent-program.ts";
import type { OwnSettings } from "../parts/backend-settings.ts";
import { OPENCODE } from "./opencode-descriptor.ts";
import {
  opencodeAccount,
  opencodeModel,
  opencodeSignIn,
  opencodeVariables,
} from "./opencode-sign-in.ts";

const NOT_SIGNED_IN = {
  message: "opencode is not signed in",
  hint: "run `opencode auth login`, or set the key of a provider, such as ANTHROPIC_API_KEY",
};

/**
 * The backend of opencode, one `opencode acp` per session. `open` raises BACKEND_NOT_FOUND,
 * BACKEND_SETTINGS_INVALID, BACKEND_PROJECT_UNTRUSTED, BACKEND_NOT_SIGNED_IN, BACKEND_SESSION_UNKNOWN,
 * BACKEND_PROTOCOL, BACKEND_EXITED and HOST_* errors.
 */
export function createOpencodeBackend(
  parts: { readonly host: ProcessHost; readonly clock: Clock },
  own: OwnSettings,
): AgentBackend {
  const { settings } = own;
  return createAcpProgramBackend(
    OPENCODE,
    { ...parts, own },
    {
      passes: opencodeVariables(settings),
      // It tells tokens, and the cost of models whose price it knows: so it is neither `exact` nor `tokens`.
      reach: "http",
      notSignedIn: NOT_SIGNED_IN,
      signIn: (env) => opencodeSignIn(env, settings),
      account: (env) => opencodeAccount(env, settings),
      // A model at an address of its own may want no key.
      needsNoSignIn: () => settings?.baseUrl !== undefined && settings.apiKeyEnv === undefined,
      find: (search) => {
        opencodeModel(search.spec, settings);
        return findAgentProgram(search);
      },
      load: async () => (await import("./opencode-command.ts")).opencodeCommand,
    },
  );
}
