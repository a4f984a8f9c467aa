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
