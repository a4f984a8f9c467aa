/** Name of the server with Troupe's own tools. */
export const CONTEXT_SERVER = "troupe";

const CONTEXT_PREFIX = `mcp__${CONTEXT_SERVER}__`;

/** Every tool that it would else use without asking, or that a rule of a project may have allowed. */
export const ASKED_TOOLS: readonly string[] = [
  "Bash",
  "Edit",
  "Glob",
  "Grep",
  "LS",
  "MultiEdit",
  "NotebookEdit",
  "PowerShell",
  "Read",
  "WebFetch",
  "WebSearch",
  "Write",
];

/** Tools that work when no turn does, leave the agent's directory, or talk past the journal of the run. */
export const OUTSIDE_TOOLS: readonly string[] = [
  "CronCreate",
  "CronDelete",
  "CronList",
  "EnterWorktree",
  "ExitWorktree",
  "ListAgents",
  "Monitor",
  "ScheduleWakeup",
  "SendMessage",
];

/** Its own agents and what deals with them. */
export const AGENT_TOOLS: readonly string[] = [
  "Agent",
  "Task",
  "TaskOutput",
  "TaskStop",
  "TeamCreate",
  "TeamDelete",
];

/** Whether a tool is one of Troupe's own, which decide themselves who may call them. */
export function isTroupeTool(tool: string): boolean {
  return tool.startsWith(CONTEXT_PREFIX);
}

/** A tool under the name that Troupe has for it. */
export function plainToolName(tool: string): string {
  if (isTroupeTool(tool)) return tool.slice(CONTEXT_PREFIX.length);
  // It calls the tool by the one name and lists it under the other.
  return tool === "Agent" ? "Task" : tool;
}
