import { z } from "zod";
import type { PermissionMode } from "../../contracts/agent.ts";

const OWN_WORDS = ["ask", "accept-edits", "plan", "dont-ask", "delegate", "bypass"] as const;

// What Claude Code calls the same, where that is another word.
const CLAUDE_WORDS = ["default", "acceptEdits", "dontAsk", "bypassPermissions"] as const;

/** A permission mode in any of its words (AGT-10). */
export const permissionModeSchema: z.ZodType<PermissionMode> = z
  .enum([...OWN_WORDS, ...CLAUDE_WORDS])
  .transform(toPermissionMode);

function toPermissionMode(
  word: (typeof OWN_WORDS)[number] | (typeof CLAUDE_WORDS)[number],
): PermissionMode {
  switch (word) {
    case "default":
      return "ask";
    case "acceptEdits":
      return "accept-edits";
    case "dontAsk":
      return "dont-ask";
    case "bypassPermissions":
      return "bypass";
    default:
      return word;
  }
}
