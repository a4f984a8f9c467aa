import type { RefusedArguments } from "../parts/refused-arguments.ts";

/** They would let something other than Troupe decide what is permitted, or take its place at the pipes. */
export const CURSOR_REFUSED: RefusedArguments = {
  names: [
    ...["force", "yolo", "trust", "approve-mcps", "auto-review", "sandbox", "mode", "plan"],
    ...["workspace", "worktree", "worktree-base", "add-dir", "plugin-dir", "cloud", "background"],
    ...["print", "output-format", "resume", "continue", "endpoint", "header"],
  ],
  letters: "fpcbweH",
};
