import type { AgentBackend } from "../../../contracts/backend.ts";
import type { Clock } from "../../../foundation/clock.ts";
import type { ProcessHost } from "../../../host/host.ts";
import type { BackendSettings } from "../backend-settings.ts";
import { agentEnvironment } from "../parts/agent-environment.ts";
import { findAgentProgram } from "../parts/agent-program.ts";
import { problemsOf } from "../parts/problems-of.ts";
import { opencodeModel } from "./opencode-model.ts";
import { opencodeAccount, opencodeSignIn, passedVariables } from "./opencode-sign-in.ts";

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
  { host, clock }: { readonly host: ProcessHost; readonly clock: Clock },
  { name, settings }: { readonly name: string; readonly settings: BackendSettings | undefined },
): AgentBackend {
  const passes = passedVariables(settings);
  return {
    name,
    // It tells tokens, and the cost of models whose price it knows: so it is neither `exact` nor `tokens`.
    conventions: "text",
    demandsSignal: true,
    takesMessages: true,
    reach: "http",
    passes,
    signIn: (env) => opencodeSignIn(env, settings),
    account: ({ env }) => opencodeAccount(env, settings),
    check: async (spec) => {
      const env = agentEnvironment(host, passes, spec);
      const problems = await problemsOf(() => {
        opencodeModel(spec, settings);
        const cwd = spec.cwd ?? process.cwd();
        findAgentProgram({ spec, settings, program: "opencode", env, cwd });
      });
      // A model at an address of its own may want no key.
      const needsSignIn = settings?.baseUrl === undefined || settings.apiKeyEnv !== undefined;
      if (!needsSignIn || opencodeSignIn(env, settings).by !== "nothing") return problems;
      return [...problems, NOT_SIGNED_IN];
    },
    open: async (request) => {
      const { openOpencodeSession } = await import("./opencode-session.ts");
      return openOpencodeSession({ host, clock, settings }, request);
    },
    interactive: async (request) => {
      const { interactiveOpencode } = await import("./opencode-session.ts");
      return interactiveOpencode(settings, request);
    },
  };
}
