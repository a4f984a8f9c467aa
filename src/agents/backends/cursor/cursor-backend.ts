import type { AgentBackend } from "../../../contracts/backend.ts";
import type { Clock } from "../../../foundation/clock.ts";
import type { ProcessHost } from "../../../host/host.ts";
import { createAcpProgramBackend } from "../parts/acp/acp-program-backend.ts";
import type { ProgramDescriptor } from "../parts/backend-descriptor.ts";
import type { OwnSettings } from "../parts/backend-settings.ts";
import type { RefusedArguments } from "../parts/refused-arguments.ts";
import { cursorAccount, cursorSignIn, cursorVariables } from "./cursor-sign-in.ts";

/** They would let something other than Troupe decide what is permitted, or take its place at the pipes. */
const REFUSED: RefusedArguments = {
  names: [
    ...["force", "yolo", "trust", "approve-mcps", "auto-review", "sandbox", "mode", "plan"],
    ...["workspace", "worktree", "worktree-base", "add-dir", "plugin-dir", "cloud", "background"],
    ...["print", "output-format", "resume", "continue", "endpoint", "header"],
  ],
  letters: "fpcbweH",
};

/** What Troupe knows of cursor. */
export const CURSOR: ProgramDescriptor = {
  name: "cursor",
  program: {
    file: "cursor-agent",
    install: "see https://cursor.com/cli",
    signIn: "cursor-agent login, or set CURSOR_API_KEY",
  },
  obeys: [".cursor"],
  providers: ["anthropic", "google", "openai"],
  refuses: REFUSED,
};

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
