import type { ProgramDescriptor } from "../parts/backend-descriptor.ts";
import type { RefusedArguments } from "../parts/refused-arguments.ts";

/** They would let something other than Troupe decide what is permitted, or take its place at the pipes. */
const REFUSED: RefusedArguments = {
  names: [
    ...["force", "yolo", "trust", "approve-mcps", "auto-review", "sandbox", "mode", "plan"],
    ...["workspace", "worktree", "worktree-base", "plugin-dir", "cloud", "background"],
    ...["print", "output-format", "resume", "continue", "endpoint", "header"],
  ],
  letters: "fpcbweH",
};

/** What Troupe knows of cursor. */
export const CURSOR: ProgramDescriptor = {
  name: "cursor",
  program: {
    file: "cursor-agent",
    install: "see https://cursor.com/cli",
    signIn: "cursor-agent login, or set CURSOR_API_KEY",
  },
  obeys: [".cursor"],
  providers: ["anthropic", "google", "openai"],
  refuses: REFUSED,
};
