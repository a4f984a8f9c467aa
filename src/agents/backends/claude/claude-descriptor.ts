import type { ProgramDescriptor } from "../parts/backend-descriptor.ts";
import type { RefusedArguments } from "../parts/refused-arguments.ts";
import { TOOL_PATIENCE_MS } from "../parts/tool-patience.ts";

/** They would let something other than Troupe decide what is permitted, or take its place at the pipes. */
const REFUSED: RefusedArguments = {
  names: [
    // Permissions.
    ...["permission-mode", "permission-prompt-tool", "permission-prompts", "allowed-tools"],
    ...["tools", "allow-tools", "allow-unattended-tool-calls", "accept-command"],
    ...["enable-auto-mode"],
    // What is configured, and code of others.
    ...["settings", "setting-sources", "managed-settings", "mcp-config", "plugin-dir"],
    ...["plugin-url", "agent", "agents", "agent-teams", "channels", "chrome", "ide"],
    // Sessions, and where they run.
    ...["session-id", "resume", "continue", "fork-session", "from-pr", "teleport", "cloud"],
    ...[
      "environment",
      "remote",
      "remote-control",
      "background",
      "bg",
      "desktop",
      "worktree",
      "tmux",
    ],
    ...["attach-serve", "sdk-url"],
    // How it is talked to.
    ...["input-format", "output-format"],
  ],
  letters: "crw",
  valueLetters: "nd",
};

/** What Troupe knows of claude. */
export const CLAUDE: ProgramDescriptor = {
  name: "claude",
  program: {
    file: "claude",
    install: "npm install -g @anthropic-ai/claude-code",
    signIn: "start claude once, or set ANTHROPIC_API_KEY",
    tested: "2.1.330",
  },
  isChosenByItself: true,
  obeys: [".claude", ".mcp.json"],
  providers: ["anthropic"],
  toolCallTimeoutMs: TOOL_PATIENCE_MS,
  toolPrefix: "mcp__troupe__",
  refuses: REFUSED,
};
