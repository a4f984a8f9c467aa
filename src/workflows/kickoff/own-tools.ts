/** Tools that agents bring themselves, by the names that every backend is told them by (LOOP-2). */
export const OWN_TOOLS: readonly string[] = [
  ...["Read", "Write", "Edit", "MultiEdit", "Bash", "Glob", "Grep", "LS", "WebFetch", "TodoWrite"],
  ...[
    "Task",
    "Agent",
    "EnterPlanMode",
    "ExitPlanMode",
    "AskUserQuestion",
    "TaskOutput",
    "TaskStop",
  ],
];
