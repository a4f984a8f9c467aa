import type { AgentBackend } from "../../../contracts/backend.ts";
import type { Clock } from "../../../foundation/clock.ts";
import type { ProcessHost } from "../../../host/host.ts";
import type { BackendSettings } from "../backend-settings.ts";
import { agentEnvironment } from "../parts/agent-environment.ts";
import { findAgentProgram } from "../parts/agent-program.ts";
import { problemsOf } from "../parts/problems-of.ts";
import { cursorAccount, cursorSignIn, passedVariables } from "./cursor-sign-in.ts";

const NOT_SIGNED_IN = {
  message: "Cursor is not signed in",
  hint: "run `cursor-agent login`, or set CURSOR_API_KEY",
};

/**
 * The backend of Cursor's command line, one `cursor-agent acp` per session: its printing mode can ask nobody
 * for permission. Written after Cursor's documentation of June 2026; never driven for real. Versions up to
 * March 2026 are said not to connect to Troupe's tools, and to keep no session for a later process.
 *
 * `open` raises BACKEND_NOT_FOUND, BACKEND_SETTINGS_INVALID, BACKEND_NOT_SIGNED_IN, BACKEND_SESSION_UNKNOWN,
 * BACKEND_PROTOCOL, BACKEND_EXITED and HOST_* errors.
 */
export function createCursorBackend(
  { host, clock }: { readonly host: ProcessHost; readonly clock: Clock },
  { name, settings }: { readonly name: string; readonly settings: BackendSettings | undefined },
): AgentBackend {
  const passes = passedVariables(settings);
  return {
    name,
    conventions: "text",
    demandsSignal: true,
    takesMessages: true,
    reach: "http",
    passes,
    signIn: (env) => cursorSignIn(env, settings),
    account: ({ env }) => cursorAccount(env, settings),
    check: async (spec) => {
      const env = agentEnvironment(host, passes, spec);
      const cwd = spec.cwd ?? process.cwd();
      const problems = await problemsOf(() =>
        findAgentProgram({ spec, settings, program: "cursor-agent", env, cwd }),
      );
      const isSignedIn = cursorSignIn(env, settings).by !== "nothing";
      return isSignedIn ? problems : [...problems, NOT_SIGNED_IN];
    },
    open: async (request) => {
      const { openCursorSession } = await import("./cursor-session.ts");
      return openCursorSession({ host, clock, settings }, request);
    },
    interactive: async (request) => {
      const { interactiveCursor } = await import("./cursor-session.ts");
      return interactiveCursor(settings, request);
    },
  };
}
