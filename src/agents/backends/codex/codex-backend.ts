import type { AgentSpec } from "../../../contracts/agent.ts";
import type { AgentBackend } from "../../../contracts/backend.ts";
import { findAgentProgram } from "../parts/agent-program.ts";
import type { OwnSettings } from "../parts/backend-settings.ts";
import { settingsInvalid } from "../parts/errors.ts";
import { createProgramBackend } from "../parts/program-backend.ts";
import { CODEX } from "./codex-descriptor.ts";
import type { CodexParts } from "./codex-session.ts";
import {
  codexAccount,
  codexAddresses,
  codexSignIn,
  codexVariables,
  modelAddress,
} from "./codex-sign-in.ts";

/** The backend of OpenAI's Codex, one `codex app-server` per session. */
export function createCodexBackend(
  { host, clock }: Pick<CodexParts, "host" | "clock">,
  own: OwnSettings,
): AgentBackend {
  const { settings } = own;
  const parts = { host, clock, settings };
  return createProgramBackend(
    CODEX,
    { host, own },
    {
      passes: codexVariables(settings),
      metering: "tokens",
      reach: "http",
      livesInSandbox: true,
      notSignedIn: {
        message: "Codex is not signed in",
        hint: "run `codex login`, or set OPENAI_API_KEY",
      },
      signIn: (env) => codexSignIn(env, settings),
      modelAddresses: (env) => codexAddresses(env, settings),
      account: (env) => codexAccount(env, settings),
      // A model at an address of its own may want no key.
      needsNoSignIn: (env) => modelAddress(env, settings) !== undefined,
      find: (search) => {
        assertSettings(search.spec);
        return findAgentProgram(search);
      },
      open: async (request) => {
        assertSettings(request.spec);
        const { openCodexSession } = await import("./codex-session.ts");
        return openCodexSession(parts, request);
      },
      interactive: async (request) => {
        const { interactiveCodex } = await import("./interactive-codex.ts");
        return interactiveCodex(parts, request);
      },
    },
  );
}

/** Raises BACKEND_SETTINGS_INVALID. */
function assertSettings({ id, settings = {} }: AgentSpec): void {
  const { systemPrompt = "", args = [] } = settings;
  if (typeof systemPrompt !== "string")
    throw settingsInvalid({ agent: id, problem: "expected `systemPrompt`: a text" });
  if (!Array.isArray(args) || args.some((item) => typeof item !== "string"))
    throw settingsInvalid({ agent: id, problem: "expected `args`: a list of texts" });
}
