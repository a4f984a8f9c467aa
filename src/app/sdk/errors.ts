import { defineError } from "../../foundation/errors.ts";

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

export const agentNotThere = defineError("WORKFLOW_FUNCTION_UNUSED", {
  message: (details: { agent: string; hint?: string }) =>
    `a function was given for agent "${details.agent}", which is not in the workflow`,
  hint: (details) => details.hint,
  about:
    "The functions of `agents` stand for agents of the workflow, by their ids. One that nobody would call is a mistake.",
});

export const runNotCompleted = defineError("RUN_NOT_COMPLETED", {
  message: (details: { outcome: string; reason: string }) =>
    `the run ended as ${details.outcome}: ${details.reason}`,
  about:
    "The error of a step workflow whose end was no failed step: a person rejected it, a guard or a limit stopped it, or it was cancelled.",
});

export const runNotOver = defineError("RUN_NOT_OVER", {
  message: (details: { run: string; status: string }) =>
    `${details.run} has no result yet: it is ${details.status}`,
  hint: ({ run }) => `go on with it: resumeRun("${run}"), or troupe resume ${run}`,
  about:
    "A run has a result when it is over; until then its state and its events tell how far it is.",
});
