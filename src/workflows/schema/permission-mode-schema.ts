import { z } from "zod";
import { PERMISSION_MODES, type PermissionMode } from "../../contracts/agent.ts";

// What Claude Code calls the same, where that is another word.
const CLAUDE_WORDS = ["default", "acceptEdits", "dontAsk", "bypassPermissions"] as const;

/** A permission mode in any of its words (AGT-10). */
export const permissionModeSchema: z.ZodType<PermissionMode> = z
  .enum([...PERMISSION_MODES, ...CLAUDE_WORDS])
  .transform(toPermissionMode);

function toPermissionMode(word: PermissionMode | (typeof CLAUDE_WORDS)[number]): PermissionMode {
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
