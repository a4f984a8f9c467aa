// The only table of what texts and conditions of pattern workflows can name, and of what a step of any workflow has once
// it is over. Files are checked against it, values are looked up by it (each name has one, or it does not compile), and
// hints and the reference list it.

import type { StepFacts } from "../../contracts/step-facts.ts";
import type { Json } from "../../foundation/json.ts";
import { valueAt } from "./member-of.ts";

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

/** Members of a step that is over, with what the reference says of them. */
export const STEP_MEMBERS: { readonly [member in keyof StepFacts]: string } = {
  output:
    "what the step handed over. Of a failed step what its command printed or its agent said last; of one that did nothing empty",
  text: "the same with the signal lines of an agent",
  error:
    "in a text the report of the failure: its headline and the lines around each cause. In a condition `{code, message, report}`, or null; each of these is a path too, such as `steps.ID.error.code`. A command whose failure `allowFailure` let pass has one",
  exitCode: "of a command; null after a signal or a timeout, and for agents",
  status: "`completed`, `failed`, `skipped`, `blocked` or `cancelled`",
  outcome:
    "`exit`, `verified` or a signal word; `exit 3` where `allowFailure` let a failure pass; of a failed step the code of its error",
  stdout: "of a command, without the newline at its end; null for agents",
  stderr: "the same of what it printed as errors",
  attempts: "how often it was tried; 0 if it did nothing",
  durationMs: "how long it took; 0 if it did nothing",
};

const ERROR_PATHS = ["error.code", "error.message", "error.report"];

/** All that a path can name below `steps.ID`. */
export const STEP_PATHS: readonly string[] = [...Object.keys(STEP_MEMBERS), ...ERROR_PATHS];

/** What members lead to from the end of a step; undefined for what no step has. What an absent error has is null. */
export function factAt(facts: StepFacts, members: readonly string[]): Json | undefined {
  const { error } = facts;
  if (error === null && ERROR_PATHS.includes(members.join("."))) return null;
  return valueAt({ ...facts, error: error === null ? null : { ...error } }, members);
}

/** The same for a text, in which an error is its report. */
export function factInText(facts: StepFacts, members: readonly string[]): Json | undefined {
  const isError = members.length === 1 && members[0] === "error";
  return isError ? (facts.error?.report ?? null) : factAt(facts, members);
}

/** What only a step with a matrix has. */
export const MATRIX_MEMBER = "results";

/** Members that hold words of others: prompts mark these. */
export const SAID_MEMBERS: ReadonlySet<string> = new Set([
  ...["output", "text", "error", "stdout", "stderr"],
  MATRIX_MEMBER,
]);

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
