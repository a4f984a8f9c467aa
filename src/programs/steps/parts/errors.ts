import { count } from "../../../foundation/count.ts";
import { defineError } from "../../../foundation/errors.ts";
import { didYouMean } from "../../../foundation/near-names.ts";

export const stepTypeUnknown = defineError("WORKFLOW_UNKNOWN_STEP_TYPE", {
  message: (details: { step: string; type: string; known: readonly string[] }) =>
    `step "${details.step}" is of type "${details.type}", which nothing here can carry out`,
  hint: ({ type, known }) => didYouMean(type, known, "types"),
  about:
    "A step has the type of one of the built-in kinds of step, of a plug-in, or of a type that the program that runs the workflow registers with defineStepType.",
});

export const dataTooLarge = defineError("STEP_DATA_TOO_LARGE", {
  message: (details: { step: string }) =>
    `the data of step "${details.step}" has more than 16 Mi characters as JSON`,
  hint: () => "write large results to a file and hand over where it is",
  about: "What steps tell each other is part of the run's journal, so it has a limit.",
});

export const dataTooLargeTogether = defineError("STEP_DATA_TOO_LARGE_TOGETHER", {
  message: (details: { step: string }) =>
    `the data of step "${details.step}" makes that of all steps of the run more than 128 Mi characters as JSON`,
  hint: () =>
    "write large results to files and hand over where they are; let no step add to its own data in a cycle without end",
  about:
    "A step workflow keeps what each of its steps came to, as often as they ran, for whatever looks back at it. Together it has a limit, so that no workflow takes all of the memory of whoever carries it out.",
});

export const inputMissing = defineError("STEP_INPUT_MISSING", {
  message: (details: { step: string; input: string; problem: string }) =>
    `step "${details.step}" takes the data of "${details.input}" as its input, and ${details.problem}`,
  hint: ({ input }) => `let a step lead here only after "${input}" has succeeded`,
  about:
    "`input` names a step, an `output` name or a key of `initial_context`. The step does not begin without its data: a step that failed or never ran has none.",
});

export const answerInvalid = defineError("AGENT_ANSWER_INVALID", {
  message: (details: { agent: string; step: string; problem: string }) =>
    `the answer of agent "${details.agent}" in step "${details.step}" does not fit output_schema, also when asked again: ${details.problem}`,
  retryable: true,
  about:
    "The JSON of an agent's answer is checked against the step's `output_schema`. An agent that reads text is asked once to repair it in the same session; a program is not.",
});

export const directoryMissing = defineError("STEP_DIRECTORY_MISSING", {
  message: (details: { step: string; cwd: string; root: string }) =>
    `step "${details.step}" is to run in ${JSON.stringify(details.cwd)}, which does not exist below ${details.root}`,
  hint: () =>
    "make it in a step before, or correct `cwd`; it counts from where the run was started",
  about: "`cwd` of a shell step is a directory below the one where the run was started.",
});

export const variableTooLarge = defineError("STEP_VARIABLE_TOO_LARGE", {
  message: (details: { step: string; name: string; sizeBytes: number; limitBytes: number }) =>
    `the environment variable ${details.name} of step "${details.step}" has ${details.sizeBytes} bytes (at most ${details.limitBytes})`,
  hint: () => "let the command read it from stdin, which has the whole input of the step as JSON",
  about: "Operating systems bound what a variable of the environment can hold.",
});

export const outputNotJson = defineError("STEP_OUTPUT_NOT_JSON", {
  message: (details: { step: string; problem: string }) =>
    `the output of step "${details.step}" is to be JSON, and it is not: ${details.problem}`,
  hint: () => "print nothing but JSON to stdout, 1 MiB at most; everything else can go to stderr",
  retryable: true,
  about:
    "A shell step with `parse: json` has failed when its command did not print exactly one JSON value to stdout, or printed over 1 MiB, of which only the end is kept.",
});

export const notAList = defineError("STEP_NOT_A_LIST", {
  message: (details: { step: string; expression: string; found: string }) =>
    `step "${details.step}" goes through ${details.expression}, which is ${details.found} and no list`,
  hint: () => "take the list out of the data: for_each: context.<step>.<member>",
  about: "`for_each` of a parallel step is an expression whose value is a list.",
});

export const childrenFailed = defineError("STEP_CHILDREN_FAILED", {
  message: (details: {
    step: string;
    failed: number;
    total: number;
    minSuccess?: number;
    first: readonly string[];
  }) => {
    const { step, failed, total, minSuccess, first } = details;
    const wanted =
      minSuccess === undefined ? "" : `, and ${minSuccess} had to succeed (min_success)`;
    const more = failed > first.length ? `; and ${failed - first.length} more` : "";
    const named = first.length === 0 ? "" : `: ${first.join("; ")}${more}`;
    return `${failed} of ${total} inside of step "${step}" failed${wanted}${named}`;
  },
  retryable: true,
  about:
    "Steps inside of a parallel step failed. It waits for all of them in any case; their data and errors are in its own data. Without `on_error` the workflow goes on by `next`, and ends as failed unless the failed steps succeed later.",
});

export const loopLimit = defineError("STEP_LOOP_LIMIT", {
  message: (details: { step: string; until: string; rounds: number }) =>
    `step "${details.step}" went ${details.rounds} rounds, as many as max_iterations allows, and its \`until\` still does not hold: ${details.until}`,
  hint: () => "raise max_iterations, or let on_error say what to do then",
  about:
    "A loop ends when its `until` holds. It reached `max_iterations` (100 unless the file says otherwise) first.",
});

export const loopRoundFailed = defineError("STEP_LOOP_ROUND_FAILED", {
  message: (details: { step: string; round: number; failed: string; undecided?: string }) => {
    const { step, round, failed, undecided } = details;
    const unknown =
      undecided === undefined ? "" : `; its \`until\` cannot be decided: ${undecided}`;
    return `round ${round} of step "${step}" failed at ${failed}${unknown}`;
  },
  retryable: true,
  about:
    "A step inside of a loop failed. A loop with `times` fails with it. A loop with `until` asks that first, and goes on unless the condition needs something that the failed round did not get to.",
});

export const loopNoneSucceeded = defineError("STEP_LOOP_NONE_SUCCEEDED", {
  message: (details: { step: string; rounds: number; failed: string }) =>
    `none of ${count(details.rounds, "round")} of step "${details.step}" succeeded, the last one failed at ${details.failed}`,
  retryable: true,
  about:
    "A loop with `on_failure: continue` goes on after rounds that fail, until five have failed in a row or its bound is reached. It fails if no round has succeeded.",
});

export const timeInvalid = defineError("STEP_TIME_INVALID", {
  message: (details: { step: string; found: string }) =>
    `step "${details.step}" waits until ${JSON.stringify(details.found)}, which is no time`,
  hint: () => "a time is written 2026-11-21T20:00:00Z, with its zone, or as ms since 1970",
  about:
    "`until` of a wait step is a time as text, or a template that comes to one: ISO 8601 with a zone, or milliseconds since the epoch, at most ten years ahead.",
});

export const patternStepFailed = defineError("STEP_PATTERN_FAILED", {
  message: (details: { step: string; pattern: string; reason: string }) =>
    `the ${details.pattern} of step "${details.step}" did not come to its end: ${details.reason}`,
  retryable: true,
  about:
    "The pattern that a pattern step carries out ended other than completed. What its own steps came to is in the run under the path of the step.",
});

export const workflowFailed = defineError("STEP_WORKFLOW_FAILED", {
  message: (details: ChildEnd) => childEnded(details),
  hint: ({ run }) => `see what happened there: troupe show ${run}`,
  retryable: true,
  about:
    "The workflow that a step runs as a child ended as failed, timed-out or limit-reached. It has a journal of its own; a further attempt is a new child run.",
});

export const workflowStopped = defineError("STEP_WORKFLOW_STOPPED", {
  message: (details: ChildEnd) => childEnded(details),
  hint: ({ run }) => `see what happened there: troupe show ${run}`,
  about:
    "The workflow that a step runs as a child was rejected or cancelled. Somebody decided that, so the step is not tried again.",
});

interface ChildEnd {
  readonly step: string;
  readonly workflow: string;
  readonly run: string;
  readonly outcome: string;
  readonly reason: string;
}

function childEnded({ step, workflow, run, outcome, reason }: ChildEnd): string {
  return `workflow "${workflow}" of step "${step}" ended as ${outcome} (${run}): ${reason}`;
}

export const rejected = defineError("STEP_REJECTED", {
  message: (details: { step: string; by: string; comment: string }) =>
    `${details.by === "timeout" ? "nobody decided" : `rejected by ${details.by}`} in step "${details.step}"${details.comment === "" ? "" : `: ${details.comment}`}`,
  about:
    "An approval inside of a parallel or a loop was rejected, which fails that step. A run that ends with it unhandled is rejected.",
});
