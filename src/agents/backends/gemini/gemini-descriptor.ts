import type { ProgramDescriptor } from "../parts/backend-descriptor.ts";
import type { RefusedArguments } from "../parts/refused-arguments.ts";

/** They would let something other than Troupe decide what is permitted, or take its place at the pipes. */
const REFUSED: RefusedArguments = {
  names: [
    ...["yolo", "approval-mode", "allowed-tools", "policy", "admin-policy", "skip-trust"],
    ...["allowed-mcp-server-names", "extensions", "worktree"],
    ...["acp", "experimental-acp", "prompt", "prompt-interactive", "output-format"],
    ...["resume", "session-id", "session-file"],
  ],
  letters: "yepirwo",
};

/** What Troupe knows of gemini. */
export const GEMINI: ProgramDescriptor = {
  name: "gemini",
  program: {
    file: "gemini",
    install: "npm install -g @google/gemini-cli",
    signIn: "start gemini once, or set GEMINI_API_KEY",
    tested: "0.61.0",
  },
  isChosenByItself: true,
  obeys: [".gemini", ".env"],
  providers: ["google", "gemini"],
  // What it has by itself; servers that are named to it over ACP have no setting.
  toolCallTimeoutMs: 600_000,
  toolPrefix: "mcp_troupe_",
  refuses: REFUSED,
};
