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
import { gooseEnvironment } from "./goose-environment.ts";

/** What sessions of goose are made of. */
export interface GooseParts {
  readonly host: ProcessHost;
  readonly clock: Clock;
  readonly settings: BackendSettings | undefined;
}

/** Opens a session of goose. */
export async function openGooseSession(
  { host, clock, settings }: GooseParts,
  request: SessionRequest,
): Promise<AgentSession> {
  const { spec, env, cwd } = request;
  const argv = findAgentProgram({ spec, settings, program: "goose", env, cwd });
  const directory = await openPrivateDirectory(request.directory, "goose");
  const systemPrompt = textSetting(spec, "systemPrompt");
  const launch = {
    // A private configuration names no extensions: with this one it can read, edit and run commands.
    argv: [...argv, "acp", "--with-builtin", "developer"] as const,
    env: await gooseEnvironment({ request, settings, directory }),
    dialect: {},
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    dispose: directory.dispose,
  };
  return openAcpSession({ host, clock, request, launch });
}

/** Goose in a terminal, on the session of an agent. */
export async function interactiveGoose(
  settings: BackendSettings | undefined,
  request: SessionRequest,
): Promise<InteractiveCommand> {
  const { spec, env, cwd, resume } = request;
  const argv = findAgentProgram({ spec, settings, program: "goose", env, cwd });
  const directory = await openPrivateDirectory(request.directory, "goose");
  const session = resume === undefined ? [] : ["--resume", "--session-id", resume];
  return {
    argv: [...argv, "session", ...session],
    env: await gooseEnvironment({ request, settings, directory }),
    cwd,
  };
}
