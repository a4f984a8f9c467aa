import type { AgentBackend } from "../../../contracts/backend.ts";
import type { Clock } from "../../../foundation/clock.ts";
import type { ProcessHost } from "../../../host/host.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";
import { createProgramBackend } from "../parts/program-backend.ts";
import { CURSOR_REFUSED } from "./cursor-refused.ts";
import { cursorAccount, cursorSignIn, cursorVariables } from "./cursor-sign-in.ts";

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
  own: { readonly name: string; readonly settings: BackendSettings | undefined },
): AgentBackend {
  const { settings } = own;
  return createProgramBackend(host, own, {
    program: "cursor-agent",
    refuses: CURSOR_REFUSED,
    passes: cursorVariables(settings),
    reach: "http",
    notSignedIn: NOT_SIGNED_IN,
    signIn: (env) => cursorSignIn(env, settings),
    account: (env) => cursorAccount(env, settings),
    open: async (request) => {
      const { openCursorSession } = await import("./cursor-session.ts");
      return openCursorSession({ host, clock, settings }, request);
    },
    interactive: async (request) => {
      const { interactiveCursor } = await import("./cursor-session.ts");
      return interactiveCursor(settings, request);
    },
  });
}
