import type { PermissionMode } from "../contracts/agent.ts";

/** What the policy says before a person is asked. */
export type PermissionRuling = "allowed" | "denied" | "ask";

const READING_TOOLS: ReadonlySet<string> = new Set([
  "Read",
  "Glob",
  "Grep",
  "LS",
  "channel_read",
  "document_read",
]);
const EDITING_TOOLS: ReadonlySet<string> = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);

/**
 * The ruling of a permission mode on one tool (AGT-10). `ask` leaves everything to a person,
 * `accept-edits` allows changes of files, `plan` allows reading only, `dont-ask` denies what is not
 * allowed without asking, `bypass` allows everything and is never a default.
 */
export function rulePermission(mode: PermissionMode, tool: string): PermissionRuling {
  if (mode === "bypass") return "allowed";
  if (READING_TOOLS.has(tool)) return "allowed";
  if (mode === "plan") return "denied";
  if (mode === "accept-edits" && EDITING_TOOLS.has(tool)) return "allowed";
  return mode === "dont-ask" ? "denied" : "ask";
}
