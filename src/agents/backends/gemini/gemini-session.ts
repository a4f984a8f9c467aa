import type {
  AgentSession,
  InteractiveCommand,
  SessionRequest,
} from "../../../contracts/backend.ts";
import type { Clock } from "../../../foundation/clock.ts";
import type { ProcessHost } from "../../../host/host.ts";
import { openAcpSession } from "../parts/acp/acp-session.ts";
import { findAgentProgram, textSetting } from "../parts/agent-program.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";
import { openPrivateDirectory } from "../parts/private-directory.ts";
import { geminiDialect } from "./gemini-dialect.ts";
import { prepareGeminiEnvironment } from "./gemini-environment.ts";

/** What sessions of Gemini are made of. */
export interface GeminiParts {
  readonly host: ProcessHost;
  readonly clock: Clock;
  readonly settings: BackendSettings | undefined;
}

/** Opens a session of Gemini. */
export async function openGeminiSession(
  { host, clock, settings }: GeminiParts,
  request: SessionRequest,
): Promise<AgentSession> {
  const argv = toArgv(settings, request);
  const directory = await openPrivateDirectory(request.directory, "gemini");
  const prepared = await prepareGeminiEnvironment({ request, settings, directory });
  const systemPrompt = textSetting(request.spec, "systemPrompt");
  const launch = {
    // Over what a trusted project says.
    argv: [...argv, "--acp", "--approval-mode", "default"] as const,
    env: prepared.env,
    dialect: geminiDialect(prepared.home),
    // A role file replaces all that Gemini tells its model; the first prompt keeps both.
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    dispose: directory.dispose,
  };
  return openAcpSession({ host, clock, request, launch });
}

/** Gemini in a terminal, on the session of an agent. */
export async function interactiveGemini(
  settings: BackendSettings | undefined,
  request: SessionRequest,
): Promise<InteractiveCommand> {
  const argv = toArgv(settings, request);
  const directory = await openPrivateDirectory(request.directory, "gemini");
  const { env } = await prepareGeminiEnvironment({ request, settings, directory });
  const { resume, cwd } = request;
  return { argv: [...argv, ...(resume === undefined ? [] : ["--resume", resume])], env, cwd };
}

function toArgv(
  settings: BackendSettings | undefined,
  { spec, env, cwd }: SessionRequest,
): readonly [string, ...string[]] {
  const argv = findAgentProgram({ spec, settings, program: "gemini", env, cwd });
  const model = spec.model ?? settings?.model;
  return model === undefined ? argv : [...argv, "-m", model];
}
