import { defineError } from "../../foundation/errors.ts";
import { didYouMean } from "../../foundation/near-names.ts";

export const stepsExcess = defineError("WORKFLOW_STEPS_EXCESS", {
  message: (details: { what: "steps" | "levels"; limit: number }) =>
    details.what === "steps"
      ? `the workflow has more than ${details.limit} steps`
      : `steps stand inside of each other over more than ${details.limit} levels`,
  hint: () => "split the workflow: a step of type workflow runs another one",
  about: "A step workflow has at most 10,000 steps, those inside of others included, in 8 levels.",
});

export const stepIdReserved = defineError("WORKFLOW_RESERVED_STEP_ID", {
  message: (details: { what: string; id: string; isInput?: boolean }) =>
    `"${details.id}" has a meaning of its own and cannot be ${details.what}`,
  hint: ({ id, isInput = false }) =>
    isInput
      ? `leave input out: ${id} can be used without it, as ${id} in expressions and {{${id}}} in texts; the input of a step is another step`
      : "choose another name; reserved: input, context, errors, item, index",
  about:
    "What a step is given stands under input, context and errors, in a list also under item and index. A step or an output of that name could not be told from them.",
});

export const nestedRoute = defineError("WORKFLOW_NESTED_ROUTE", {
  message: (details: { step: string; around: string; key: string }) =>
    `step "${details.step}" has ${details.key}, but it is carried out inside of "${details.around}"`,
  hint: ({ around, key }) => `remove it, or write ${key} to step "${around}"`,
  about:
    "A step inside of another one is over when that one goes on: only steps of the list at the top say where the workflow goes on.",
});

export const routeIntoStep = defineError("WORKFLOW_ROUTE_INTO_STEP", {
  message: (details: { who: string; step: string; around: string }) =>
    `${details.who} "${details.step}", which is carried out inside of "${details.around}"`,
  hint: ({ around }) => `go on with "${around}"`,
  about:
    "A step inside of another one is carried out together with that one and cannot be gone to alone.",
});

export const stepNotNested = defineError("WORKFLOW_STEP_NOT_NESTED", {
  message: (details: { step: string; type: string; around: string }) =>
    `step "${details.step}" of type ${details.type} cannot stand inside of "${details.around}"`,
  hint: () => "move it to the list at the top, and go on with it by next",
  about: "A step that decides where the workflow goes on has nowhere to go inside of another one.",
});

export const stepUnreachable = defineError("WORKFLOW_UNREACHABLE_STEP", {
  message: (details: { step: string }) => `no way leads to step "${details.step}"`,
  hint: () => "name it in next, or in another route, of a step that is reached; or remove it",
  about:
    "A step workflow begins with its first step and goes on by next, on_error and the routes of each type. The order of the list means nothing.",
});

export const endlessCycle = defineError("WORKFLOW_ENDLESS_CYCLE", {
  message: (details: { path: readonly string[] }) =>
    `no way leads out of these steps: ${shownPath(details.path)}`,
  hint: () =>
    "let a condition or an approval lead out; as it is, only a limit or a failure ends it",
  about:
    "Each of these steps leads to another one of them. max_iterations ends the run in any case, as limit-reached.",
});

export const unknownContextName = defineError("WORKFLOW_UNKNOWN_CONTEXT", {
  message: (details: { who: string; name: string; known: readonly string[] }) =>
    `${details.who} "${details.name}", which is no step, no output and no key of initial_context`,
  hint: ({ name, known }) => didYouMean(name, known),
  about:
    "The context holds what initial_context begins with and what steps come to, under their ids and their output names.",
});

export const neverBefore = defineError("WORKFLOW_NEVER_BEFORE", {
  message: (details: { who: string; step: string; place: string }) =>
    `${details.who} step "${details.step}", which never runs before "${details.place}"`,
  hint: ({ step, place }) => `let a way lead from "${step}" to "${place}"`,
  about:
    "What a step came to is known after it has run; no way through this workflow does that first.",
});

export const referenceCycle = defineError("WORKFLOW_REFERENCE_CYCLE", {
  message: (details: { path: readonly string[] }) =>
    `with parallel: true these steps wait for each other: ${shownPath(details.path)}`,
  hint: () => "remove one of the references, or order the steps by next",
  about:
    "With parallel: true a path begins when those are over whose steps it refers to by input or context.",
});

export const childInvalid = defineError("WORKFLOW_CHILD_INVALID", {
  message: (details: { workflow: string; problems: readonly string[]; more: number }) =>
    `the workflow "${details.workflow}" cannot be run: ${details.problems.join("; ")}${details.more > 0 ? ` (and ${details.more} more)` : ""}`,
  about:
    "A step runs another workflow, whose file is missing, outside of the project or not valid. Its own problems are shown by troupe validate.",
});

export const unknownWorkflow = defineError("WORKFLOW_UNKNOWN_WORKFLOW", {
  message: (details: { step: string; id: string; known: readonly string[] }) =>
    `step "${details.step}" runs workflow "${details.id}", which does not exist`,
  hint: ({ id, known }) =>
    didYouMean(id, known) ??
    "put its file into .troupe/workflows, or name the file: type: workflow, file: other.yaml",
  about:
    "A workflow that is named by its id is one of the directory of workflows of the project: .troupe/workflows, or what workflows.dir of the configuration says.",
});

function shownPath(path: readonly string[]): string {
  const names = path.length > 12 ? [...path.slice(0, 11), "…", path.at(-1)] : path;
  return names.join(" → ");
}
