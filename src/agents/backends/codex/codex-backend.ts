import type { AgentSpec } from "../../../contracts/agent.ts";
import type { AgentBackend } from "../../../contracts/backend.ts";
import { findAgentProgram } from "../parts/agent-program.ts";
import type { ProgramDescriptor } from "../parts/backend-descriptor.ts";
import type { OwnSettings } from "../parts/backend-settings.ts";
import { settingsInvalid } from "../parts/errors.ts";
import { createProgramBackend } from "../parts/program-backend.ts";
import type { RefusedArguments } from "../parts/refused-arguments.ts";
import { TOOL_PATIENCE_MS } from "../parts/tool-patience.ts";
import type { CodexParts } from "./codex-session.ts";
import {
  codexAccount,
  codexAddresses,
  codexSignIn,
  codexVariables,
  modelAddress,
} from "./codex-sign-in.ts";

/** They would let something other than Troupe decide what is permitted, or be another Codex. */
const REFUSED: RefusedArguments = {
  names: [
    ...["yolo", "full-auto", "approve-for-me", "ask-for-approval", "sandbox", "add-dir", "search"],
    ...["config", "profile", "enable", "disable", "cd", "worktree", "oss", "local-provider"],
    ...["remote", "remote-auth-token-env", "listen", "stdio", "code-mode-host", "daemon"],
    ...["startup-sign-out", "startup-client-info", "print-startup-config", "cloud-skills-snapshot"],
  ],
  letters: "psaC",
  valueLetters: "mi",
  // Whatever else a setting may be, it is none that allows anything.
  settableKeys: [
    ...["model", "model_reasoning_effort", "model_reasoning_summary", "model_verbosity"],
    ...["model_context_window", "model_max_output_tokens", "model_auto_compact_token_limit"],
    ...["hide_agent_reasoning", "show_raw_agent_reasoning", "tool_output_token_limit"],
  ],
};

/** What Troupe knows of codex. */
export const CODEX: ProgramDescriptor = {
  name: "codex",
  program: {
    file: "codex",
    install: "npm install -g @openai/codex",
    signIn: "codex login, or set OPENAI_API_KEY",
    tested: "0.169.0",
  },
  isChosenByItself: true,
  obeys: [".codex"],
  providers: ["openai"],
  toolCallTimeoutMs: TOOL_PATIENCE_MS,
  refuses: REFUSED,
};

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
