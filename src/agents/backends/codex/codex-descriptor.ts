import type { ProgramDescriptor } from "../parts/backend-descriptor.ts";
import type { RefusedArguments } from "../parts/refused-arguments.ts";
import { TOOL_PATIENCE_MS } from "../parts/tool-patience.ts";

/** They would let something other than Troupe decide what is permitted, or be another Codex. */
const REFUSED: RefusedArguments = {
  names: [
    ...["yolo", "full-auto", "approve-for-me", "ask-for-approval", "sandbox", "search"],
    ...["config", "profile", "enable", "disable", "cd", "worktree", "oss", "local-provider"],
    ...["remote", "remote-auth-token-env", "listen", "stdio", "code-mode-host", "daemon"],
    ...["startup-sign-out", "startup-client-info", "print-startup-config", "cloud-skills-snapshot"],
  ],
  letters: "psaC",
  valueLetters: "mi",
  // Whatever else a setting may be, it is none that allows anything.
  settableKeys: [
    ...["model", "model_reasoning_effort", "model_reasoning_summary", "model_verbosity"],
    ...["model_context_window", "model_max_output_tokens", "model_auto_compact_token_limit"],
    ...["hide_agent_reasoning", "show_raw_agent_reasoning", "tool_output_token_limit"],
  ],
};

/** What Troupe knows of codex. */
export const CODEX: ProgramDescriptor = {
  name: "codex",
  program: {
    file: "codex",
    install: "npm install -g @openai/codex",
    signIn: "codex login, or set OPENAI_API_KEY",
    tested: "0.169.0",
  },
  isChosenByItself: true,
  obeys: [".codex"],
  providers: ["openai"],
  toolCallTimeoutMs: TOOL_PATIENCE_MS,
  toolPrefix: "mcp__troupe.",
  refuses: REFUSED,
};
