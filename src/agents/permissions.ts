import type { PermissionMode } from "../contracts/agent.ts";
import type { Reach } from "./rule-subject.ts";

/** What the policy says before a person is asked. */
export type PermissionRuling = "allowed" | "denied" | "ask";

/** A tool that an agent wants to use, and where that would have an effect. */
export interface JudgedToolUse {
  readonly tool: string;
  readonly reach: Reach;
}

const READING_TOOLS: ReadonlySet<string> = new Set([
  ...["Read", "Glob", "Grep", "LS", "NotebookRead"],
  ...["channel_read", "document_read"],
]);
const EDITING_TOOLS: ReadonlySet<string> = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);
// They arrange work. What is done by whoever they set to work is asked for on its own.
const COORDINATING_TOOLS: ReadonlySet<string> = new Set([
  ...["Task", "TaskOutput", "TaskStop", "TodoRead", "TodoWrite"],
  ...["TaskCreate", "TaskGet", "TaskList", "TaskUpdate"],
]);

/**
 * The ruling of a permission mode on one use of a tool (AGT-10). Reading in the agent's directory and
 * arranging work are free in every mode. Of the rest `ask` leaves all to a person, `accept-edits` allows
 * changes of files in the agent's directory, `plan` and `delegate` allow nothing, `dont-ask` denies what is
 * not allowed without asking, `bypass` allows everything and is never a default.
 */
export function rulePermission(
  mode: PermissionMode,
  { tool, reach }: JudgedToolUse,
): PermissionRuling {
  if (mode === "bypass" || COORDINATING_TOOLS.has(tool)) return "allowed";
  if (READING_TOOLS.has(tool)) {
    if (reach !== "outside") return "allowed";
    return mode === "dont-ask" ? "denied" : "ask";
  }
  if (mode === "plan" || mode === "delegate") return "denied";
  if (mode === "accept-edits" && EDITING_TOOLS.has(tool) && reach === "inside") return "allowed";
  return mode === "dont-ask" ? "denied" : "ask";
}

/**
 * The ruling that an agent's mode sets for those that it spawns. What a leader must not do itself its workers
 * may, if a person says so: `delegate` restricts the leader alone.
 */
export function ruleSpawned(mode: PermissionMode, use: JudgedToolUse): PermissionRuling {
  return rulePermission(mode === "delegate" ? "ask" : mode, use);
}
