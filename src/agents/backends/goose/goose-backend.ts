import type { AgentBackend } from "../../../contracts/backend.ts";
import type { Clock } from "../../../foundation/clock.ts";
import type { ProcessHost } from "../../../host/host.ts";
import { createAcpProgramBackend } from "../parts/acp/acp-program-backend.ts";
import type { ProgramDescriptor } from "../parts/backend-descriptor.ts";
import type { OwnSettings } from "../parts/backend-settings.ts";
import type { RefusedArguments } from "../parts/refused-arguments.ts";
import { gooseAccount, gooseSignIn, gooseVariables } from "./goose-sign-in.ts";

/** They would start programs beside it, or go on with other sessions. */
const REFUSED: RefusedArguments = {
  names: [
    ...["with-extension", "with-builtin", "with-streamable-http-extension"],
    ...["with-remote-extension", "resume", "session-id", "name", "path", "recipe", "sub-recipe"],
  ],
  letters: "rn",
};

/** What Troupe knows of goose. */
export const GOOSE: ProgramDescriptor = {
  name: "goose",
  program: {
    file: "goose",
    install: "see https://block.github.io/goose",
    signIn: "goose configure",
  },
  refuses: REFUSED,
};

const NOT_SIGNED_IN = {
  message: "goose has no model",
  hint: "run `goose configure`, or set GOOSE_PROVIDER and the key of that provider",
};

/**
 * The backend of goose, one `goose acp` per session. Written after its documentation and sources of 1.26;
 * never driven for real.
 *
 * `open` raises BACKEND_NOT_FOUND, BACKEND_NOT_SIGNED_IN, BACKEND_SESSION_UNKNOWN, BACKEND_PROTOCOL,
 * BACKEND_EXITED and HOST_* errors.
 */
export function createGooseBackend(
  parts: { readonly host: ProcessHost; readonly clock: Clock },
  own: OwnSettings,
): AgentBackend {
  const { settings } = own;
  return createAcpProgramBackend(
    GOOSE,
    { ...parts, own },
    {
      passes: gooseVariables(settings),
      reach: "http",
      notSignedIn: NOT_SIGNED_IN,
      signIn: (env) => gooseSignIn(env, settings),
      account: (env) => gooseAccount(env, settings),
      // Ollama wants no key.
      needsNoSignIn: (env) => (env["GOOSE_PROVIDER"] ?? "") !== "",
      load: async () => (await import("./goose-command.ts")).gooseCommand,
    },
  );
}
