import type { AgentBackend } from "../../../contracts/backend.ts";
import type { Clock } from "../../../foundation/clock.ts";
import type { ProcessHost } from "../../../host/host.ts";
import { createAcpProgramBackend } from "../parts/acp/acp-program-backend.ts";
import type { OwnSettings } from "../parts/backend-settings.ts";
import { GEMINI } from "./gemini-descriptor.ts";
import { geminiAccount, geminiAddresses, geminiSignIn, geminiVariables } from "./gemini-sign-in.ts";

const NOT_SIGNED_IN = {
  message: "Gemini is not signed in",
  hint: "run `gemini` once and sign in, or set GEMINI_API_KEY",
};

/**
 * The backend of Google's Gemini CLI, one `gemini --acp` per session. `open` raises BACKEND_NOT_FOUND,
 * BACKEND_NOT_SIGNED_IN, BACKEND_SESSION_UNKNOWN, BACKEND_PROTOCOL, BACKEND_EXITED and HOST_* errors.
 */
export function createGeminiBackend(
  parts: { readonly host: ProcessHost; readonly clock: Clock },
  own: OwnSettings,
): AgentBackend {
  const { settings } = own;
  return createAcpProgramBackend(
    GEMINI,
    { ...parts, own },
    {
      passes: geminiVariables(settings),
      metering: "tokens",
      reach: "http",
      livesInSandbox: true,
      notSignedIn: NOT_SIGNED_IN,
      signIn: (env) => geminiSignIn(env, settings),
      modelAddresses: (env) => geminiAddresses(env, settings),
      account: (env) => geminiAccount(env, settings),
      load: async () => (await import("./gemini-command.ts")).geminiCommand,
    },
  );
}
