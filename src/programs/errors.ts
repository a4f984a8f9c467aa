import type { FailureRecord } from "../contracts/step-facts.ts";
import { defineError, type ErrorReport } from "../foundation/errors.ts";
import { lastWords } from "../foundation/failure-report/printed-output.ts";

export const noSignal = defineError("AGENT_NO_SIGNAL", {
  message: (details: { agent: string; step: string; marker: string }) =>
    `agent "${details.agent}" ended step "${details.step}" without ${details.marker}, also after a reminder`,
  hint: (details) =>
    `let its prompt ask for a line "${details.marker}: ...", or write \`expects: none\` if its mere answer is enough`,
  retryable: true,
  about:
    "A step of an agent is done when the agent says so with the marker that the step expects (DONE unless `expects` names another). The agent was reminded once and ended its turn without it again, so nobody can tell whether the work is finished.",
});

export const reportedFailure = defineError("AGENT_REPORTED_FAILURE", {
  message: (details: { agent: string; step: string; kind: string; text: string }) =>
    `agent "${details.agent}" says that step "${details.step}" ${details.kind}: ${details.text}`,
  retryable: true,
  about:
    "The agent ended its task with an explicit FAILED or BLOCKED, which counts before any DONE of the same turn.",
});

export const memberFailed = defineError("AGENT_FAILED_THE_RUN", {
  message: (details: { agent: string; problem: string; error: ErrorReport }) =>
    `agent "${details.agent}" failed: ${details.problem}`,
  hint: () => "with `errorHandling.onFailure: continue` the others go on without it",
  about:
    "An agent of a pattern failed after all of its attempts, and the workflow says that a failure ends the run (`onFailure: abort`, or a person rejected to go on).",
});

export const turnStopped = defineError("AGENT_TURN_STOPPED", {
  message: (details: { agent: string; step: string; stopReason: string }) =>
    `agent "${details.agent}" stopped in step "${details.step}" before it was done: ${details.stopReason}`,
  retryable: true,
  about:
    "The agent's turn was cut short by its own limits (turns, tokens), was refused by its model or was cancelled; nothing says that the task is done.",
});

export const outputTooLarge = defineError("AGENT_OUTPUT_TOO_LARGE", {
  message: (details: { step: string }) =>
    `the output of step "${details.step}" is over 1 MiB (or 2 MiB as JSON), so its beginning was cut and it cannot be checked as JSON`,
  hint: () => "write large results to a file and hand over where it is",
  about:
    "Outputs are kept up to 1 MiB, and 2 MiB as JSON. JSON whose beginning is missing cannot be checked against a schema.",
});

export const verificationFailed = defineError("STEP_VERIFICATION_FAILED", {
  message: (details: { step: string; check: string; output: string; failure?: FailureRecord }) =>
    `step "${details.step}" did not pass its check ${details.check}${details.output === "" ? "" : `: ${details.output}`}`,
  retryable: true,
  about:
    "The step's work was done but a check of `verify` does not hold. The next attempt is told what the check found.",
});

export const gateChanged = defineError("STEP_GATE_CHANGED", {
  message: (details: { step: string; changed: string }) =>
    `step "${details.step}" changed what checks it: ${details.changed}`,
  retryable: true,
  about:
    "What a `verify` command runs is the gate of a step, so the step itself may not change it: scripts, through any wrappers, with what they source; the entries of `scripts` in package.json that npm, pnpm, yarn or bun run; Makefile, justfile and Taskfile; or, in place of all that, what `protect` names. It was put back as it was before the step. What is new, or larger than 256 Ki characters (1 Mi together), cannot be put back and is a breach as well.",
});

export const gatesTooMany = defineError("STEP_GATES_TOO_MANY", {
  message: (details: { patterns: string; most: number }) =>
    `\`protect\` names more than ${details.most} files: ${details.patterns}`,
  hint: () => "name fewer files, such as test/unit/** instead of **",
  about:
    "What `protect` names is remembered before the step, file by file, and compared and put back after it. More files than that are not remembered, so the step does not begin.",
});

export const stepTimedOut = defineError("STEP_TIMED_OUT", {
  message: (details: { step: string; timeoutMs: number; failure?: FailureRecord }) =>
    `step "${details.step}" was not done within ${details.timeoutMs} ms`,
  hint: () =>
    "raise its timeout, or say what happens when it fails (`on_error`, `runs: on-failure`)",
  retryable: true,
  about:
    "One attempt of a step reached its `timeout_ms` (in pattern workflows: `timeout`); all that it did was ended. In step workflows agent and shell steps have 60,000 ms when the file says nothing; all others have no deadline.",
});

export const shellFailed = defineError("STEP_SHELL_FAILED", {
  message: (details: {
    step: string;
    ended: string;
    stderr: string;
    output?: string;
    failure?: FailureRecord;
  }) => {
    const words = lastWords(details.output ?? details.stderr);
    return `the command of step "${details.step}" ended with ${details.ended}${words === "" ? "" : `: ${words}`}`;
  },
  retryable: true,
  about:
    "A step with a command is done when that ends with exit code 0, unless it says `allowFailure`. With any other the step has failed; in step workflows its data has the exit code and what the command printed all the same, as `context.<step>.exitCode`, `.stdout` and `.stderr`.",
});

export const instancesFailed = defineError("STEP_INSTANCES_FAILED", {
  message: (details: { step: string; failed: readonly string[]; total: number }) =>
    `${details.failed.length} of ${details.total} instances of step "${details.step}" failed: ${listed(details.failed)}`,
  about:
    "A step with a `matrix` is done when each of its instances is done or skipped. What went wrong stands at the instances that failed; the others went on unless the step says `failFast: true`.",
});

export const barrierTimeout = defineError("WORKFLOW_BARRIER_TIMEOUT", {
  message: (details: {
    barrier: string;
    signal: string;
    missing: readonly string[];
    timeoutMs: number;
  }) =>
    `barrier "${details.barrier}" did not open within ${details.timeoutMs} ms: no ${details.signal} from ${details.missing.join(", ")}`,
  about: "A barrier opens when its agents have given its signal. It reached its timeout first.",
});

export const barrierUnmet = defineError("WORKFLOW_BARRIER_UNMET", {
  message: (details: {
    barrier: string;
    signal: string;
    missing: readonly string[];
    reason: string;
  }) =>
    `barrier "${details.barrier}" can never open: no ${details.signal} from ${details.missing.join(", ")}, and ${details.reason}`,
  about:
    "A barrier still waits for a signal, but every step that could give it is over; or for a step that has failed.",
});

export const setupFailed = defineError("WORKFLOW_SETUP_FAILED", {
  message: (details: {
    step: string;
    command: string;
    problem: string;
    stderr: string;
    failure?: FailureRecord;
  }) =>
    `${details.step} ${details.problem}: \`${details.command.trim()}\`${details.stderr === "" ? "" : `: ${details.stderr}`}`,
  hint: () => "run it by hand in the directory of the workflow file",
  about:
    "The commands of setup run in order before the kickoff, in the directory of the workflow file. One that does not end with exit code 0 within its timeout stops the run before any agent is asked for anything.",
});

export const routeBroken = defineError("HANDOFF_ROUTE_BROKEN", {
  message: (details: { route: string; problem: string }) =>
    `the function of the route "${details.route}" went wrong: ${details.problem}`,
  hint: () => "mend it; it takes the text of a turn and returns true or false",
  about:
    "A route of `handoff` may have a function that decides, from the text of a turn without DONE and HANDOFF, whether its agent gets the task. It threw, or returned something else than true or false. Functions of routes are for whole workflows: a step of `type: pattern` has none.",
});

export const functionBroken = defineError("PATTERN_FUNCTION_BROKEN", {
  message: (details: { name: string; problem: string }) =>
    `the function ${details.name} of the pattern went wrong: ${details.problem}`,
  hint: () => "mend it where the run was started in code",
  about:
    "Patterns may be given functions in code that decide in place of their blocks, such as the `evaluator` of an auction. One threw, or returned something that is no answer. Its answers are journaled: a run that is resumed does not ask again.",
});

export const poolTaskInvalid = defineError("POOL_TASK_INVALID", {
  message: (details: { sizeBytes: number; maxBytes: number }) =>
    `a member of a pool needs a task of 1 to ${details.maxBytes} bytes, got ${details.sizeBytes === 0 ? "none" : details.sizeBytes}`,
  hint: () => "give it a text, and lay long material into a file",
  about:
    "`inject` takes a member into a pool that goes on. Its task travels in a message, so it must be neither empty nor longer than one.",
});

export const patternBroken = defineError("WORKFLOW_PATTERN_BROKEN", {
  message: (details: { pattern: string; problem: string }) =>
    `the pattern "${details.pattern}" went wrong: ${details.problem}`,
  hint: () => "mend its `run`; what it returns is { outcome, reason, output? }",
  about:
    "The program of a pattern of one's own threw, returned something that is no end of a run, or gave a turn to somebody who does not take part.",
});

export const treeDirty = defineError("ITERATE_TREE_DIRTY", {
  message: (details: { cwd: string }) =>
    `there are changes in ${details.cwd} that no commit has, and each iteration is to be committed`,
  hint: () =>
    "commit or stash them, or let them be: allowDirty: true (--allow-dirty) commits what iterations change and never your changes",
  about:
    "With `commit` every iteration of a series becomes a commit of its own. It begins only in a working tree without changes, untracked files included, so that nobody has to wonder whose they are. With `allowDirty` it begins all the same: your changes are never committed, and of a file that both of you changed only what can be told apart is.",
});

export const headElsewhere = defineError("ITERATE_HEAD_ELSEWHERE", {
  message: (details: { iteration: number; expected: string; found: string }) =>
    `iteration ${details.iteration} would go on from commit ${details.expected}, and ${details.found} is checked out`,
  hint: (details) => `go back to it first: git switch --detach ${details.expected}`,
  about:
    "A series with commits that is carried out again from an iteration on takes over those before it, so the working tree has to stand where the last one of them left it.",
});

function listed(ids: readonly string[]): string {
  const most = 5;
  const more = ids.length > most ? [`and ${ids.length - most} more`] : [];
  return [...ids.slice(0, most), ...more].join(", ");
}
