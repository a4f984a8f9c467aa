import type { InteractiveCommand, SessionRequest } from "../../../contracts/backend.ts";
import { sessionUnknown } from "../parts/errors.ts";
import { connectCodex, foreignServers } from "./codex-connection.ts";
import { prepareLaunch } from "./codex-launch.ts";
import type { CodexParts } from "./codex-session.ts";
import { askingMode, serversOff } from "./thread-params.ts";
import { tomlValue } from "./toml-value.ts";

/**
 * The terminal of Codex on the thread of `request.resume`, isolated like a session of Troupe. Its own
 * sandbox bounds it, and it asks the person in front of it. Raises BACKEND_SESSION_UNKNOWN without a thread,
 * BACKEND_NOT_FOUND, BACKEND_EXITED, BACKEND_PROTOCOL.
 */
export async function interactiveCodex(
  { host, settings }: CodexParts,
  request: SessionRequest,
): Promise<InteractiveCommand> {
  const { spec, cwd, resume } = request;
  if (resume === undefined) throw sessionUnknown({ agent: spec.id, resume: "" });
  const { program, flags, env } = await prepareLaunch(request, settings);
  const connection = await connectCodex({
    host,
    request,
    argv: [...program, "app-server", ...flags],
    env,
    // No turn runs that could ask for anything.
    onRequest: async () => undefined,
    onNotification: () => {},
  });
  const foreign = await foreignServers(connection, request).finally(connection.end);
  const off = foreign.length === 0 ? [] : ["-c", `mcp_servers=${tomlValue(serversOff(foreign))}`];
  const model = spec.model ?? settings?.model;
  const { sandbox } = askingMode({ spec });
  const chosen = ["--no-daemon", "-s", sandbox, ...(model === undefined ? [] : ["-m", model])];
  return { argv: [...program, "resume", ...chosen, ...flags, ...off, resume], env, cwd };
}
