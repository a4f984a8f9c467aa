import { defineError } from "../../../foundation/errors.ts";
import { didYouMean } from "../../../foundation/near-names.ts";

export const definitionInvalid = defineError("WORKFLOW_DEFINITION_INVALID", {
  message: (details: { run: string; problem: string; isNewer?: boolean }) =>
    `the definition in the journal of ${details.run} cannot be read: ${details.problem}`,
  hint: ({ isNewer = false }) =>
    isNewer ? "made by a newer Troupe: go on with it there, or update this one" : undefined,
  about:
    "A run keeps the definition that it was started with. This version of troupe cannot read it.",
});

export const patternUnknown = defineError("WORKFLOW_UNKNOWN_PATTERN", {
  message: (details: { pattern: string; known: readonly string[] }) =>
    `there is no pattern "${details.pattern}" here`,
  hint: ({ known }) =>
    known.length === 0
      ? "a pattern carries out no other one; steps of type pattern do"
      : `known: ${known.join(", ")}`,
  about: "A workflow or a program asked for a pattern that this version of troupe does not have.",
});

export const withoutSteps = defineError("WORKFLOW_WITHOUT_STEPS", {
  message: (details: { workflow: string }) =>
    `workflow "${details.workflow}" has no steps whose number at a time could be limited`,
  hint: () =>
    "leave --max-concurrency out; limits.hostConcurrency of the configuration limits turns",
  about:
    "--max-concurrency limits the steps of a pattern workflow that run at the same time. In a kickoff workflow agents work whenever somebody mentions them.",
});

export const secretUnreadable = defineError("RUN_SECRET_UNREADABLE", {
  message: (details: { run: string; variable: string }) =>
    `the value of ${details.variable} in ${details.run} is sealed with a key that is not here`,
  hint: () => "let its owner go on with it, or start its workflow file anew",
  about:
    "Secrets that a workflow file writes into an `env` stand in journals and exports as tokens, which only the key in the state directory of whoever started the run opens. Somebody else's run, or one from before the key was lost, cannot start its agents with them. Secrets that come from the environment are no part of a run.",
});

export const graphInvalid = defineError("WORKFLOW_GRAPH_INVALID", {
  message: (details: { problem: string; hint?: string }) => details.problem,
  hint: (details) => details.hint,
  about: "The nodes of a graph need ids of their own, known dependencies, and no cycle.",
});

export const taskNameInvalid = defineError("WORKFLOW_TASK_NAME_INVALID", {
  message: (details: { name: string; problem: string }) =>
    `the name "${details.name}" ${details.problem}`,
  about: "Every task of a pattern has an agent of its own, and every agent of a run its own id.",
});

export const otherShape = defineError("WORKFLOW_OTHER_SHAPE", {
  message: (details: { file: string; shape: string; wanted: string }) =>
    `${details.file} is a ${details.shape} workflow, and a ${details.wanted} workflow was asked for`,
  hint: ({ file, shape }) => `loadWorkflow("${file}", { shape: "${shape}" })`,
  about:
    "What a run of a workflow takes and gives depends on its shape, so the caller says which one it counts on: pattern, steps or kickoff.",
});

export const functionNotAsked = defineError("PATTERN_FUNCTION_UNUSED", {
  message: (details: { name: string }) =>
    `a function ${details.name} was given for a pattern, and the workflow has none`,
  hint: () => "run a pattern workflow, or take it out",
  about:
    "Functions of patterns decide in place of the block of a pattern. In a workflow without one nobody would call them.",
});

export const agentNotThere = defineError("WORKFLOW_FUNCTION_UNUSED", {
  message: (details: { agent: string; hint?: string }) =>
    `a function was given for agent "${details.agent}", which is not in the workflow`,
  hint: (details) => details.hint,
  about:
    "The functions of `agents` stand for agents of the workflow, by their ids. One that nobody would call is a mistake.",
});

export const optionUnknown = defineError("SDK_OPTION_UNKNOWN", {
  message: (details: { call: string; option: string; known: readonly string[] }) =>
    `${details.call} has no option "${details.option}"`,
  hint: ({ option, known }) => didYouMean(option.split(".").at(-1) ?? option, known),
  about:
    "A function of the library was given an option that it does not know. It would have no effect, so nothing was started.",
});

export const optionInvalid = defineError("SDK_OPTION_INVALID", {
  message: (details: { call: string; option: string; wanted: string; found: string }) =>
    `${details.call}: "${details.option}" must be ${details.wanted}, and it is ${details.found}`,
  about: "A function of the library was given a value of a kind that it cannot take.",
});

export const optionUnused = defineError("SDK_OPTION_UNUSED", {
  message: (details: { call: string; option: string; why: string }) =>
    `${details.call}: "${details.option}" would have no effect: ${details.why}`,
  hint: () => "take it out, or what it contradicts",
  about:
    "An option of a function of the library contradicts another one, or the workflow has nothing that it could change.",
});
