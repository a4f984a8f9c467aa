import type { RefusedArguments } from "../parts/refused-arguments.ts";

/** They would let something other than Troupe decide what is permitted, or take its place at the pipes. */
export const GEMINI_REFUSED: RefusedArguments = {
  names: [
    ...["yolo", "approval-mode", "allowed-tools", "policy", "admin-policy", "skip-trust"],
    ...["allowed-mcp-server-names", "extensions", "include-directories", "worktree"],
    ...["acp", "experimental-acp", "prompt", "prompt-interactive", "output-format"],
    ...["resume", "session-id", "session-file"],
  ],
  letters: "yepirwo",
};
