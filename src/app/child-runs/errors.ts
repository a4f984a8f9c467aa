import { defineError } from "../../foundation/errors.ts";
import { didYouMean } from "../../foundation/near-names.ts";

export const runHasParent = defineError("RUN_HAS_PARENT", {
  message: (details: { run: string; parent: string; root: string; command: string }) =>
    `${details.run} is a part of ${details.parent} and has no life of its own`,
  hint: ({ root, command }) => `do that with the whole: troupe ${command} ${root}`,
  about:
    "A child run is carried out by the process that carries out the run at the top of its tree. It is resumed, paused and removed together with that one; cancel, approve, send and peek work on it alone.",
});

export const runTooDeep = defineError("RUN_TOO_DEEP", {
  message: (details: { workflow: string; limit: number }) =>
    `workflow "${details.workflow}" would be more than ${details.limit} levels below the first one`,
  hint: () => "let fewer workflows run each other, one within the other",
  about:
    "A workflow may run another one as a child, and that one a further one. The number of levels is bounded so that none goes on for ever.",
});

export const childUnknown = defineError("WORKFLOW_CHILD_UNKNOWN", {
  message: (details: { workflow: string; known: readonly string[] }) =>
    `this workflow has no other workflow "${details.workflow}"`,
  hint: ({ workflow, known }) => didYouMean(workflow, known, "workflows"),
  about:
    "All workflows that a run starts as its children are part of its definition. A program asked for one that is not.",
});

export const childInputInvalid = defineError("WORKFLOW_CHILD_INPUT", {
  message: (details: { workflow: string; kind: string }) =>
    `workflow "${details.workflow}" cannot be started with ${details.kind}`,
  hint: () => "give it a text, which is its task, an object, which holds its params, or null",
  about:
    "Step workflows take any JSON as their input. To all others a text is the task, and the members of an object are params.",
});
