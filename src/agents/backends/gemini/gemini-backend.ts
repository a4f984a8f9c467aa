import type { AgentBackend } from "../../../contracts/backend.ts";
import type { Clock } from "../../../foundation/clock.ts";
import type { ProcessHost } from "../../../host/host.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";
import { createProgramBackend } from "../parts/program-backend.ts";
import { geminiAddresses } from "./gemini-addresses.ts";
import { GEMINI_REFUSED } from "./gemini-refused.ts";
import { geminiAccount, geminiSignIn, geminiVariables } from "./gemini-sign-in.ts";

const NOT_SIGNED_IN = {
  message: "Gemini is not signed in",
  hint: "run `gemini` once and sign in, or set GEMINI_API_KEY",
};

/**
 * The backend of Google's Gemini CLI, one `gemini --acp` per session. `open` raises BACKEND_NOT_FOUND,
 * BACKEND_NOT_SIGNED_IN, BACKEND_SESSION_UNKNOWN, BACKEND_PROTOCOL, BACKEND_EXITED and HOST_* errors.
 */
export function createGeminiBackend(
  { host, clock }: { readonly host: ProcessHost; readonly clock: Clock },
  own: { readonly name: string; readonly settings: BackendSettings | undefined },
): AgentBackend {
  const { settings } = own;
  return createProgramBackend(host, own, {
    program: "gemini",
    refuses: GEMINI_REFUSED,
    passes: geminiVariables(settings),
    metering: "tokens",
    reach: "http",
    livesInSandbox: true,
    notSignedIn: NOT_SIGNED_IN,
    signIn: (env) => geminiSignIn(env, settings),
    modelAddresses: (env) => geminiAddresses(env, settings),
    account: (env) => geminiAccount(env, settings),
    open: async (request) => {
      const { openGeminiSession } = await import("./gemini-session.ts");
      return openGeminiSession({ host, clock, settings }, request);
    },
    interactive: async (request) => {
      const { interactiveGemini } = await import("./gemini-session.ts");
      return interactiveGemini(settings, request);
    },
  });
}
