import type { AgentSpec } from "../../../contracts/agent.ts";
import type { AgentBackend, BackendProblem } from "../../../contracts/backend.ts";
import type { Clock } from "../../../foundation/clock.ts";
import type { ProcessHost } from "../../../host/host.ts";
import type { BackendSettings } from "../backend-settings.ts";
import { agentEnvironment } from "../parts/agent-environment.ts";
import { findAgentProgram } from "../parts/agent-program.ts";
import { problemsOf } from "../parts/problems-of.ts";
import { assertArguments } from "./claude-arguments.ts";
import { accountName, findSignIn, passedVariables } from "./claude-sign-in.ts";

/**
 * The backend of Claude Code, Anthropic's command line: one program per session, JSON lines over its pipes.
 * `open` raises BACKEND_NOT_FOUND, BACKEND_SETTINGS_INVALID, BACKEND_SESSION_UNKNOWN, BACKEND_EXITED,
 * BACKEND_PROTOCOL and HOST_* errors; turns also fail with BACKEND_OVERLOADED, BACKEND_NOT_SIGNED_IN,
 * BACKEND_PROVIDER_REFUSED and BACKEND_PROVIDER_FAILED.
 */
export function createClaudeBackend(
  { host, clock }: { readonly host: ProcessHost; readonly clock: Clock },
  { name, settings }: { readonly name: string; readonly settings: BackendSettings | undefined },
): AgentBackend {
  const passes = passedVariables(settings);
  const environmentOf = (spec: AgentSpec) => agentEnvironment(host, passes, spec);
  return {
    name,
    // It tells what its turns cost, but not for models that it has no price of, and not when it is killed:
    // so it is not `exact`.
    conventions: "text",
    demandsSignal: true,
    takesMessages: true,
    reach: "http",
    passes,
    signIn: (env) => findSignIn(env, settings),
    account: ({ env }) => accountName(env, settings),
    check: async (spec) => [
      ...(await problemsOf(() => {
        const cwd = spec.cwd ?? process.cwd();
        const env = environmentOf(spec);
        const [, ...args] = findAgentProgram({ spec, settings, program: "claude", env, cwd });
        assertArguments(spec.id, args);
      })),
      ...signInProblems(environmentOf(spec), settings),
    ],
    open: async (request) => {
      const { openClaudeSession } = await import("./claude-session.ts");
      return openClaudeSession({ request, settings, host, clock });
    },
    interactive: async (request) => {
      const { interactiveClaude } = await import("./interactive-claude.ts");
      return interactiveClaude(request, settings);
    },
  };
}

function signInProblems(
  env: { readonly [name: string]: string },
  settings: BackendSettings | undefined,
): readonly BackendProblem[] {
  if (findSignIn(env, settings).by !== "nothing") return [];
  return [
    {
      message: "Claude Code is not signed in",
      hint: "run `claude` and then /login in it, or set ANTHROPIC_API_KEY",
    },
  ];
}
