import type { AgentBackend } from "../../../contracts/backend.ts";
import type { Clock } from "../../../foundation/clock.ts";
import type { ProcessHost } from "../../../host/host.ts";
import { createAcpProgramBackend } from "../parts/acp/acp-program-backend.ts";
import type { OwnSettings } from "../parts/backend-settings.ts";
import { GOOSE } from "./goose-descriptor.ts";
import { gooseAccount, gooseSignIn, gooseVariables } from "./goose-sign-in.ts";

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
