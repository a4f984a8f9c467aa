import type { AgentSpec } from "../../../contracts/agent.ts";
import type { AgentBackend } from "../../../contracts/backend.ts";
import type { Clock } from "../../../foundation/clock.ts";
import { present } from "../../../foundation/present.ts";
import type { ProcessHost } from "../../../host/host.ts";
import { accountName } from "../parts/account-name.ts";
import { agentEnvironment } from "../parts/agent-environment.ts";
import { findAgentProgram, textSetting } from "../parts/agent-program.ts";
import type { BackendSettings, OwnSettings } from "../parts/backend-settings.ts";
import { settingsInvalid } from "../parts/errors.ts";
import { problemsOf } from "../parts/program-backend.ts";

/**
 * The backend of any program that speaks the Agent Client Protocol on its standard input and output: the
 * `command` of the agent or of the configuration. How the program is isolated and signed in is its own affair.
 * `open` raises BACKEND_SETTINGS_INVALID, BACKEND_NOT_FOUND, BACKEND_NOT_SIGNED_IN, BACKEND_SESSION_UNKNOWN,
 * BACKEND_PROTOCOL, BACKEND_EXITED and HOST_* errors.
 */
export function createAcpBackend(
  { host, clock }: { readonly host: ProcessHost; readonly clock: Clock },
  { name, settings }: OwnSettings,
): AgentBackend {
  const { apiKeyEnv } = settings ?? {};
  const passes = apiKeyEnv === undefined ? [] : [apiKeyEnv];
  const signIn: NonNullable<AgentBackend["signIn"]> = (env) =>
    apiKeyEnv !== undefined && env[apiKeyEnv] !== undefined
      ? { by: "key", variable: apiKeyEnv }
      : { by: "nothing" };
  return {
    name,
    conventions: "text",
    demandsSignal: true,
    takesMessages: true,
    reach: "http",
    // A program of the user's own: what it needs is let in by name.
    livesInSandbox: true,
    changesFiles: true,
    passes,
    // Whose program it is, only the configuration knows: `sandbox.network`.
    modelAddresses: () => [],
    ...(apiKeyEnv === undefined ? {} : { signIn }),
    account: ({ env }) => accountName({ kind: name, signIn: signIn(env), env }),
    check: async (spec) => {
      const env = agentEnvironment(host, passes, spec);
      const problems = await problemsOf(() =>
        findProgram({ spec, settings, env, cwd: spec.cwd ?? process.cwd() }),
      );
      if (apiKeyEnv === undefined || env[apiKeyEnv] !== undefined) return problems;
      return [...problems, { message: `${name} is not signed in`, hint: `set ${apiKeyEnv}` }];
    },
    open: async (request) => {
      const { spec, env, cwd } = request;
      const argv = findProgram({ spec, settings, env, cwd });
      const { openAcpSession } = await import("../parts/acp/acp-session.ts");
      const systemPrompt = textSetting(spec, "systemPrompt");
      const model = spec.model ?? settings?.model;
      const launch = {
        argv,
        env,
        dialect: {},
        ...present({ systemPrompt, model }),
        dispose: async () => {},
      };
      return openAcpSession({ host, clock, request, launch });
    },
  };
}

interface ProgramPlace {
  readonly spec: AgentSpec;
  readonly settings: BackendSettings | undefined;
  readonly env: { readonly [name: string]: string };
  readonly cwd: string;
}

/** Raises BACKEND_SETTINGS_INVALID, BACKEND_NOT_FOUND. */
function findProgram({
  spec,
  settings = {},
  ...place
}: ProgramPlace): readonly [string, ...string[]] {
  if (settings.baseUrl !== undefined)
    throw invalid(spec, "`baseUrl` means nothing to it; say where the model is in `env`");
  const command = spec.settings?.["command"] ?? settings.command;
  const [program = "", ...args] = wordsOf(spec, command);
  const found = { ...settings, command: [program, ...args] };
  return findAgentProgram({ spec, settings: found, program, ...place });
}

function wordsOf(spec: AgentSpec, command: unknown): readonly string[] {
  if (typeof command === "string" && /^\S+$/.test(command)) return [command];
  const words: readonly unknown[] = Array.isArray(command) ? command : [];
  const texts = words.filter((word) => typeof word === "string");
  if (texts.length === 0 || texts.length < words.length || texts[0] === "")
    throw invalid(spec, "expected `command`: a program, or a list of it and its arguments");
  return texts;
}

function invalid({ id }: AgentSpec, problem: string): Error {
  return settingsInvalid({ agent: id, problem });
}
