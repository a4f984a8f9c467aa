import type { SessionRequest } from "../../../contracts/backend.ts";
import type { BackendSettings } from "../backend-settings.ts";
import { findAgentProgram } from "../parts/agent-program.ts";
import { codexFlags } from "./codex-flags.ts";
import { makeCodexHome } from "./codex-home.ts";
import { codexSignIn } from "./codex-sign-in.ts";

/** All that a Codex of one agent is started with. */
export interface CodexLaunch {
  /** Program and first arguments. */
  readonly program: readonly [string, ...string[]];
  /** Follow the command of Codex that is started. */
  readonly flags: readonly string[];
  readonly env: { readonly [name: string]: string };
  /** The bounds of the request, with what Codex itself has to write. */
  readonly confine: SessionRequest["confine"];
  /** Removes what was only for this session. Idempotent. */
  remove(): Promise<void>;
}

/** Finds the program and makes its directories. Raises BACKEND_NOT_FOUND. */
export async function prepareLaunch(
  request: SessionRequest,
  settings: BackendSettings | undefined,
): Promise<CodexLaunch> {
  const { spec, env, cwd, confine } = request;
  const program = findAgentProgram({ spec, settings, program: "codex", env, cwd });
  const signIn = codexSignIn(env, settings);
  const home = await makeCodexHome(request, signIn);
  return {
    program,
    flags: codexFlags({ request, settings, signIn }),
    env: { ...env, ...home.env },
    confine: confine && { ...confine, writable: [...confine.writable, ...home.writable] },
    remove: home.remove,
  };
}
