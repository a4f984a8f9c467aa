import type { AgentBackend } from "../../../contracts/backend.ts";
import type { Clock } from "../../../foundation/clock.ts";
import type { ProcessHost } from "../../../host/host.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";
import { createProgramBackend } from "../parts/program-backend.ts";
import { GOOSE_REFUSED } from "./goose-refused.ts";
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
  { host, clock }: { readonly host: ProcessHost; readonly clock: Clock },
  own: { readonly name: string; readonly settings: BackendSettings | undefined },
): AgentBackend {
  const { settings } = own;
  return createProgramBackend(host, own, {
    program: "goose",
    refuses: GOOSE_REFUSED,
    passes: gooseVariables(settings),
    reach: "http",
    notSignedIn: NOT_SIGNED_IN,
    signIn: (env) => gooseSignIn(env, settings),
    account: (env) => gooseAccount(env, settings),
    // Ollama wants no key.
    needsNoSignIn: (env) => (env["GOOSE_PROVIDER"] ?? "") !== "",
    open: async (request) => {
      const { openGooseSession } = await import("./goose-session.ts");
      return openGooseSession({ host, clock, settings }, request);
    },
    interactive: async (request) => {
      const { interactiveGoose } = await import("./goose-session.ts");
      return interactiveGoose(settings, request);
    },
  });
}
