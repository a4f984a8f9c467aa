import type { ProgramDescriptor } from "../parts/backend-descriptor.ts";
import type { RefusedArguments } from "../parts/refused-arguments.ts";

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
