import type { AgentBackend } from "../../../contracts/backend.ts";
import type { ProcessHost } from "../../../host/host.ts";
import type { OwnSettings } from "../parts/backend-settings.ts";
import { createProgramBackend } from "../parts/program-backend.ts";
import { AIDER } from "./aider-descriptor.ts";
import { aiderAccount, aiderSignIn, aiderVariables } from "./aider-sign-in.ts";

/**
 * The backend of aider, one process per turn. Written after the sources and the documentation of 0.86, and
 * tested with what it would print; never driven for real.
 *
 * Aider edits files and does nothing else here: it gets no commands to run and no tools of Troupe, and
 * commits nothing. Before each turn Troupe is asked once whether it may edit in its directory; without that
 * it answers in its mode for questions. It keeps to the directory as far as it wants to: only a sandbox
 * holds it.
 *
 * `open` raises BACKEND_NOT_FOUND, BACKEND_SETTINGS_INVALID, BACKEND_SESSION_UNKNOWN; turns fail with these,
 * HOST_* errors, BACKEND_EXITED, BACKEND_OVERLOADED, BACKEND_NOT_SIGNED_IN, BACKEND_PROVIDER_REFUSED and
 * BACKEND_PROVIDER_FAILED.
 */
export function createAiderBackend(
  { host }: { readonly host: ProcessHost },
  own: OwnSettings,
): AgentBackend {
  const { settings } = own;
  return createProgramBackend(
    AIDER,
    { host, own },
    {
      passes: aiderVariables(settings),
      notSignedIn: {
        message: "aider has no key of a model",
        hint: "set OPENAI_API_KEY or ANTHROPIC_API_KEY, or put a key into ~/.aider.conf.yml",
      },
      signIn: (env) => aiderSignIn(env, settings),
      account: (env) => aiderAccount(env, settings),
      open: async (request) => {
        const { openAiderSession } = await import("./aider-session.ts");
        return openAiderSession({ host, settings, request });
      },
      interactive: async (request) => {
        const { interactiveAider } = await import("./interactive-aider.ts");
        return interactiveAider(request, settings);
      },
    },
  );
}
