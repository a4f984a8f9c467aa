import type { SessionRequest } from "../../../contracts/backend.ts";
import type { Confinement } from "../../../contracts/host.ts";
import { isBelow } from "../../../host/sandbox/sandbox-mounts.ts";
import { findAgentProgram } from "../parts/agent-program.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";
import { codexFlags } from "./codex-flags.ts";
import { type CodexHome, makeCodexHome } from "./codex-home.ts";
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
    confine: confine && boundsOf(request, confine, home),
    remove: home.remove,
  };
}

/** The bounds of its process: an agent that only reads writes in no directory but its own. */
function boundsOf(
  { spec, directory }: SessionRequest,
  confine: Confinement,
  home: Pick<CodexHome, "env" | "writable">,
): Confinement {
  const own = [directory, home.env["CODEX_HOME"]].filter((path) => path !== undefined);
  const isWork = (path: string) =>
    spec.permissionMode === "plan" && !own.some((each) => isBelow(path, each));
  return {
    ...confine,
    writable: [...confine.writable.filter((path) => !isWork(path)), ...home.writable],
    readOnly: [...confine.readOnly, ...confine.writable.filter(isWork)],
  };
}
