import type {
  AgentSession,
  InteractiveCommand,
  SessionRequest,
} from "../../../contracts/backend.ts";
import type { Clock } from "../../../foundation/clock.ts";
import type { ProcessHost } from "../../../host/host.ts";
import { openAcpSession } from "../parts/acp/acp-session.ts";
import { findAgentProgram, textSetting } from "../parts/agent-program.ts";
import { assertNoOrders } from "../parts/assert-no-orders.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";
import { openPrivateDirectory, type PrivateDirectory } from "../parts/private-directory.ts";
import { cursorSignIn } from "./cursor-sign-in.ts";

/** What sessions of Cursor are made of. */
export interface CursorParts {
  readonly host: ProcessHost;
  readonly clock: Clock;
  readonly settings: BackendSettings | undefined;
}

// Commands that need no permission, commands to run at events, servers to start. Its rules are plain text.
const OBEDIENT_CURSOR = {
  name: "cursor-agent",
  obeys: [".cursor/cli.json", ".cursor/hooks.json", ".cursor/mcp.json"],
} as const;

/** Opens a session of Cursor. */
export async function openCursorSession(
  { host, clock, settings }: CursorParts,
  request: SessionRequest,
): Promise<AgentSession> {
  assertNoOrders(request, OBEDIENT_CURSOR);
  const argv = toArgv(settings, request);
  const directory = await openPrivateDirectory(request.directory, "cursor");
  const systemPrompt = textSetting(request.spec, "systemPrompt");
  const launch = {
    argv: [...argv, "acp"] as const,
    env: await environmentOf(settings, request, directory),
    dialect: {},
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    dispose: directory.dispose,
  };
  return openAcpSession({ host, clock, request, launch });
}

/** Cursor in a terminal, on the session of an agent. */
export async function interactiveCursor(
  settings: BackendSettings | undefined,
  request: SessionRequest,
): Promise<InteractiveCommand> {
  assertNoOrders(request, OBEDIENT_CURSOR);
  const argv = toArgv(settings, request);
  const directory = await openPrivateDirectory(request.directory, "cursor");
  const env = await environmentOf(settings, request, directory);
  const { resume, cwd } = request;
  return { argv: [...argv, ...(resume === undefined ? [] : ["--resume", resume])], env, cwd };
}

function toArgv(
  settings: BackendSettings | undefined,
  { spec, env, cwd }: SessionRequest,
): readonly [string, ...string[]] {
  const argv = findAgentProgram({ spec, settings, program: "cursor-agent", env, cwd });
  const model = spec.model ?? settings?.model;
  return [
    ...argv,
    ...(settings?.baseUrl === undefined ? [] : ["--endpoint", settings.baseUrl]),
    ...(model === undefined ? [] : ["--model", model]),
  ];
}

/** With a key Cursor gets a home of its own, where it keeps its settings, servers and sessions. */
async function environmentOf(
  settings: BackendSettings | undefined,
  { env }: SessionRequest,
  directory: PrivateDirectory,
): Promise<SessionRequest["env"]> {
  if (cursorSignIn(env, settings).by !== "key") return env;
  const home = await directory.make("home");
  const { apiKeyEnv } = settings ?? {};
  const key = apiKeyEnv === undefined ? undefined : env[apiKeyEnv];
  return {
    ...env,
    ...(key === undefined ? {} : { CURSOR_API_KEY: key }),
    HOME: home,
    CURSOR_CONFIG_DIR: await directory.make("config"),
  };
}
