import { defineError } from "../../../foundation/errors.ts";
import { didYouMean } from "../../../foundation/near-names.ts";

export const forkTooLate = defineError("ENGINE_FORK_TOO_LATE", {
  message: (details: {
    run: string;
    path: string;
    seq: number;
    recorded: string;
    asked: string;
  }) => {
    const { run, path, seq, recorded, asked } = details;
    const now = asked === recorded ? "be given something else" : `now be ${asked}`;
    return `${path} was taken in before the fork: event ${seq} of ${run} is ${recorded}, and would ${now}`;
  },
  hint: ({ run, path, seq }) =>
    `fork before it: troupe fork ${run} --at ${Math.max(1, seq - 1)} --set ${path}=…`,
  about:
    "A fork keeps all that happened up to its first own event. What something in that part has used cannot be changed any more; the error names the earliest one.",
});

export const forkPointUnknown = defineError("RUN_FORK_POINT_UNKNOWN", {
  message: (details: { run: string; at: string; lastSeq: number; steps: readonly string[] }) =>
    /^\d+$/.test(details.at)
      ? `${details.run} has events 1 to ${details.lastSeq}, so no fork begins after ${details.at}`
      : `no step "${details.at}" has started in ${details.run}`,
  hint: ({ at, steps, run }) =>
    /^\d+$/.test(at) ? `see them: troupe logs ${run} --json` : didYouMean(at, steps, "started"),
  about:
    "A fork begins after an event, named by its number (`seq`), or before the first start of a step, named by its id or its path.",
});

export const forkOver = defineError("RUN_FORK_OVER", {
  message: (details: { run: string; seq: number }) =>
    `event ${details.seq} is the end of ${details.run}: after it nothing is left to do`,
  hint: ({ run, seq }) => `fork before its end: troupe fork ${run} --at ${seq - 1}`,
  about: "A fork goes on after the event it is made at. After the end of a run nothing comes.",
});

export const changeInvalid = defineError("RUN_FORK_CHANGE_INVALID", {
  message: (details: { path: string; problem: string; known: readonly string[] }) =>
    `--set ${details.path}: ${details.problem}`,
  hint: ({ path, known }) => didYouMean(path, known),
  about:
    "A fork can change the task (task=TEXT), a param (params.NAME=VALUE), the input of a step workflow (input=JSON, input.KEY=VALUE) and what a step that is done came to (context.STEP.FIELD=VALUE, steps.STEP.output=TEXT). Values are JSON where they can be read as such, else text.",
});
