import type { InteractiveCommand, SessionRequest } from "../../../contracts/backend.ts";
import { findAgentProgram } from "../parts/agent-program.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";
import { isolatingArguments, roleArguments } from "./claude-arguments.ts";
import { createEnvironment } from "./claude-environment.ts";

/**
 * Claude Code in a terminal, on a session and with the isolation that its turns have. Its directory stays: the
 * person may come back. Raises BACKEND_NOT_FOUND, BACKEND_SETTINGS_INVALID.
 */
export async function interactiveClaude(
  request: SessionRequest,
  settings: BackendSettings | undefined,
): Promise<InteractiveCommand> {
  const { spec, cwd, resume } = request;
  const search = { spec, settings, program: "claude", env: request.env, cwd };
  const [program, ...args] = findAgentProgram(search);
  const { env } = await createEnvironment(request, settings);
  const session = resume === undefined ? roleArguments(request) : [`--resume=${resume}`];
  return {
    argv: [program, ...args, ...isolatingArguments(request, settings), ...session],
    env,
    cwd,
  };
}
