import { declareCommand } from "../command/command.ts";

/** `troupe merge` */
export const mergeCommand = declareCommand({
  name: "merge",
  group: "Run",
  authority: "person",
  actsOn: "run",
  summary: "bring the branches of a run's agents together",
  arguments: [{ name: "<run>", about: "id, its beginning, or @last" }],
  options: [
    { flags: "--into <branch>", about: "the branch to merge into; the current one if not given" },
    { flags: "--verify <command>", about: "has to succeed after each merge; else that is undone" },
    { flags: "--verify-timeout <duration>", about: "longest time for it; 10m if not given" },
    { flags: "--agent <backend>", about: "let an agent resolve conflicts: claude, codex, ..." },
    { flags: "--keep", about: "leave branches and worktrees when all is merged" },
    { flags: "--continue", about: "go on after a conflict was resolved, or after an interruption" },
    { flags: "--abort", about: "give up the merge that stopped; what is merged stays" },
    { flags: "--json", about: "print one JSON object" },
  ],
  notes: [
    "Agents with isolation: worktree leave their work on branches troupe/RUN/AGENT.",
    "They are merged one by one, in the order of the workflow. A conflict stops:",
    "resolve it, git add the files, and --continue. Branches and worktrees go only",
    "when all of it is merged. Asks before it merges a branch that deletes more than",
    "20 files and more than it adds; -y agrees. After a kill at any moment --continue",
    "and --abort find their way; what you have changed meanwhile they leave alone.",
    "",
    "Exit codes: 0 merged, 1 verification failed, 3 a conflict waits for a person.",
  ],
});
