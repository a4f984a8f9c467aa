import type { AgentBackend } from "../../../contracts/backend.ts";
import type { Clock } from "../../../foundation/clock.ts";
import type { ProcessHost } from "../../../host/host.ts";
import type { BackendSettings } from "../backend-settings.ts";
import { agentEnvironment } from "../parts/agent-environment.ts";
import { findAgentProgram } from "../parts/agent-program.ts";
import { problemsOf } from "../parts/problems-of.ts";
import { geminiAccount, geminiSignIn, passedVariables } from "./gemini-sign-in.ts";

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
  { name, settings }: { readonly name: string; readonly settings: BackendSettings | undefined },
): AgentBackend {
  const passes = passedVariables(settings);
  return {
    name,
    metering: "tokens",
    conventions: "text",
    demandsSignal: true,
    takesMessages: true,
    reach: "http",
    passes,
    signIn: (env) => geminiSignIn(env, settings),
    account: ({ env }) => geminiAccount(env, settings),
    check: async (spec) => {
      const env = agentEnvironment(host, passes, spec);
      const cwd = spec.cwd ?? process.cwd();
      const problems = await problemsOf(() =>
        findAgentProgram({ spec, settings, program: "gemini", env, cwd }),
      );
      const isSignedIn = geminiSignIn(env, settings).by !== "nothing";
      return isSignedIn ? problems : [...problems, NOT_SIGNED_IN];
    },
    open: async (request) => {
      const { openGeminiSession } = await import("./gemini-session.ts");
      return openGeminiSession({ host, clock, settings }, request);
    },
    interactive: async (request) => {
      const { interactiveGemini } = await import("./gemini-session.ts");
      return interactiveGemini(settings, request);
    },
  };
}
