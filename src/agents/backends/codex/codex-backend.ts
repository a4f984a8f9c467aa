import type { AgentSpec } from "../../../contracts/agent.ts";
import type { AgentBackend, BackendProblem } from "../../../contracts/backend.ts";
import type { BackendSettings } from "../backend-settings.ts";
import { settingsInvalid } from "../errors.ts";
import { findAgentProgram } from "../parts/agent-program.ts";
import { problemsOf } from "../parts/problems-of.ts";
import type { CodexParts } from "./codex-session.ts";
import { codexAccount, codexSignIn, modelAddress, passedVariables } from "./codex-sign-in.ts";

/** The backend of OpenAI's Codex, one `codex app-server` per session. */
export function createCodexBackend(
  { host, clock }: Pick<CodexParts, "host" | "clock">,
  { name, settings }: { readonly name: string; readonly settings: BackendSettings | undefined },
): AgentBackend {
  const parts = { host, clock, settings };
  const passes = passedVariables(settings);
  /** What an agent gets of the environment of Troupe before its session is there. */
  const environment = ({ env = {}, envFrom = {} }: AgentSpec) => {
    const sources = [...passes.map((same) => [same, same] as const), ...Object.entries(envFrom)];
    const set = sources.flatMap(([own, source]) => {
      const value = host.variable(source);
      return value === undefined ? [] : [[own, value] as const];
    });
    return host.baseEnv({ ...Object.fromEntries(set), ...env });
  };
  const signedIn = (spec: AgentSpec): readonly BackendProblem[] => {
    const env = environment(spec);
    if (codexSignIn(env, settings).by !== "nothing" || modelAddress(env, settings) !== undefined)
      return [];
    return [
      {
        message: "Codex is not signed in",
        hint: "run `codex login`, or set OPENAI_API_KEY",
      },
    ];
  };
  return {
    name,
    conventions: "text",
    demandsSignal: true,
    takesMessages: true,
    metering: "tokens",
    reach: "http",
    passes,
    signIn: (env) => codexSignIn(env, settings),
    account: ({ env }) => codexAccount(env, settings),
    check: async (spec) => {
      const problems = await problemsOf(() => {
        assertSettings(spec);
        const cwd = spec.cwd ?? process.cwd();
        findAgentProgram({ spec, settings, program: "codex", env: environment(spec), cwd });
      });
      return [...problems, ...signedIn(spec)];
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
  };
}

/** Raises BACKEND_SETTINGS_INVALID. */
function assertSettings({ id, settings = {} }: AgentSpec): void {
  const { systemPrompt = "", args = [] } = settings;
  if (typeof systemPrompt !== "string")
    throw settingsInvalid({ agent: id, problem: "expected `systemPrompt`: a text" });
  if (!Array.isArray(args) || args.some((item) => typeof item !== "string"))
    throw settingsInvalid({ agent: id, problem: "expected `args`: a list of texts" });
}
