import type { AgentBackend } from "../../../contracts/backend.ts";
import type { ProcessHost } from "../../../host/host.ts";
import type { ProgramDescriptor } from "../parts/backend-descriptor.ts";
import type { OwnSettings } from "../parts/backend-settings.ts";
import { createProgramBackend } from "../parts/program-backend.ts";
import type { RefusedArguments } from "../parts/refused-arguments.ts";
import { aiderAccount, aiderSignIn, aiderVariables } from "./aider-sign-in.ts";

/** They would answer in Troupe's place, run commands, commit, or read orders and keys from files. */
const REFUSED: RefusedArguments = {
  names: [
    ...["yes", "yes-always", "config", "env-file", "load", "apply", "apply-clipboard-edits"],
    ...[
      "message",
      "msg",
      "message-file",
      "chat-mode",
      "architect",
      "ask",
      "commit",
      "commit-prompt",
    ],
    ...["suggest-shell-commands", "auto-lint", "auto-test", "lint", "lint-cmd", "test", "test-cmd"],
    ...[
      "auto-commits",
      "dirty-commits",
      "gitignore",
      "add-gitignore-files",
      "auto-accept-architect",
    ],
    ...["detect-urls", "watch-files", "copy-paste", "gui", "browser", "notifications-command"],
    ...["disable-playwright", "install-main-branch", "upgrade", "update", "check-update"],
    ...["set-env", "api-key", "openai-api-key", "openai-api-base", "anthropic-api-key"],
    ...[
      "model-settings-file",
      "model-metadata-file",
      "analytics",
      "analytics-log",
      "git-commit-verify",
    ],
    ...[
      "chat-history-file",
      "input-history-file",
      "llm-history-file",
      "restore-chat-history",
      "editor",
    ],
  ],
  letters: "cmf",
  // Its parser takes `--yes-a` for `--yes-always`.
  abbreviates: { whole: ["model", "edit-format", "editor-model", "editor-edit-format"] },
};

/** What Troupe knows of aider. */
export const AIDER: ProgramDescriptor = {
  name: "aider",
  program: {
    file: "aider",
    install: "python -m pip install aider-chat",
    signIn: "set the key of a model, such as ANTHROPIC_API_KEY",
  },
  obeys: [".aider.conf.yml", ".aider.model.metadata.json", ".aider.model.settings.yml", ".env"],
  refuses: REFUSED,
};

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
