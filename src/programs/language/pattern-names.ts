// The only table of what texts and conditions of pattern workflows can name. Files are checked against it, values are
// looked up by it (each name has one, or it does not compile), and hints and the reference list it.

/** Names that belong to the whole run, with what the reference says of them. */
export const STANDING_NAMES = {
  task: "the task of the run",
  id: "the id of the run; the only one that `options.channel` takes",
  "git.diff":
    "changes in the place where the work is done: the agent's directory or worktree, else where the run was started. [Worktrees](../guides/worktrees-and-merge.md#worktrees) of agents whose steps this one waits for are in it too",
  "git.branch":
    "the branch of that place. The `name` of an agent sees nothing of git; its other texts see where the run was started",
} as const;

/** A name that belongs to the whole run. */
export type StandingName = keyof typeof STANDING_NAMES;

/** Members of a step that is over. */
export const STEP_MEMBERS = [
  "output",
  "text",
  "status",
  "outcome",
  "durationMs",
  "attempts",
] as const;

/** What only a step with a matrix has. */
export const MATRIX_MEMBER = "results";

/** What each of the results of a matrix has. */
export const RESULT_MEMBERS: ReadonlySet<string> = new Set([
  "id",
  "matrix",
  "status",
  "output",
  "error",
]);

/** The names that belong to the whole run, in the order of the table. */
export const standingNames: readonly StandingName[] = ["task", "id", "git.diff", "git.branch"];

/** Whether a path is a name that belongs to the whole run. */
export function isStandingName(path: string): path is StandingName {
  return Object.hasOwn(STANDING_NAMES, path);
}

/** Whether a path asks git: a name of an agent is needed before there is a place to ask. */
export function asksGitFor([root]: readonly string[]): boolean {
  return root === "git";
}
