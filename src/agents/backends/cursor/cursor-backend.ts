import type { AgentBackend } from "../../../contracts/backend.ts";
import type { Clock } from "../../../foundation/clock.ts";
import type { ProcessHost } from "../../../host/host.ts";
import { createAcpProgramBackend } from "../parts/acp/acp-program-backend.ts";
import type { OwnSettings } from "../parts/backend-settings.ts";
import { CURSOR } from "./cursor-descriptor.ts";
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
  parts: { readonly host: ProcessHost; readonly clock: Clock },
  own: OwnSettings,
): AgentBackend {
  const { settings } = own;
  return createAcpProgramBackend(
    CURSOR,
    { ...parts, own },
    {
      passes: cursorVariables(settings),
      reach: "http",
      notSignedIn: NOT_SIGNED_IN,
      signIn: (env) => cursorSignIn(env, settings),
      account: (env) => cursorAccount(env, settings),
      load: async () => (await import("./cursor-command.ts")).cursorCommand,
    },
  );
}
