import type {
  AgentSession,
  InteractiveCommand,
  SessionRequest,
} from "../../../contracts/backend.ts";
import type { Clock } from "../../../foundation/clock.ts";
import type { ProcessHost } from "../../../host/host.ts";
import { openAcpSession } from "../parts/acp/acp-session.ts";
import { findAgentProgram } from "../parts/agent-program.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";
import { openPrivateDirectory } from "../parts/private-directory.ts";
import { databaseFile, prepareOpencodeEnvironment } from "./opencode-environment.ts";
import { assertTrusted } from "./opencode-trust.ts";
import { createSessionDatabase } from "./session-database.ts";

/** What sessions of opencode are made of. */
export interface OpencodeParts {
  readonly host: ProcessHost;
  readonly clock: Clock;
  readonly settings: BackendSettings | undefined;
}

/** Opens a session of opencode. Raises BACKEND_PROJECT_UNTRUSTED and what the backend says. */
export async function openOpencodeSession(
  { host, clock, settings }: OpencodeParts,
  request: SessionRequest,
): Promise<AgentSession> {
  const argv = toArgv(settings, request);
  assertTrusted(request);
  const directory = await openPrivateDirectory(request.directory, "opencode");
  const env = await prepareOpencodeEnvironment({ request, settings, directory });
  const database = createSessionDatabase(databaseFile(directory));
  const launch = {
    argv: [...argv, "acp"] as const,
    env,
    dialect: { sessionUsage: database.usageOf, failureOf: database.failureOf },
    dispose: directory.dispose,
  };
  return openAcpSession({ host, clock, request, launch });
}

/** opencode in a terminal, on the session of an agent. */
export async function interactiveOpencode(
  settings: BackendSettings | undefined,
  request: SessionRequest,
): Promise<InteractiveCommand> {
  const argv = toArgv(settings, request);
  assertTrusted(request);
  const directory = await openPrivateDirectory(request.directory, "opencode");
  const env = await prepareOpencodeEnvironment({ request, settings, directory });
  const { resume, cwd } = request;
  return { argv: [...argv, ...(resume === undefined ? [] : ["--session", resume])], env, cwd };
}

function toArgv(
  settings: BackendSettings | undefined,
  { spec, env, cwd }: SessionRequest,
): readonly [string, ...string[]] {
  return findAgentProgram({ spec, settings, program: "opencode", env, cwd });
}
