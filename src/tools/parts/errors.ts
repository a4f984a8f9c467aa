import { defineError } from "../../foundation/errors.ts";
import { didYouMean } from "../../foundation/near-names.ts";

export const unknownTool = defineError("AGENT_UNKNOWN_TOOL", {
  message: (details: { tool: string; known: readonly string[] }) =>
    `there is no tool "${details.tool}"`,
  hint: (details) => didYouMean(details.tool, details.known, "tools"),
  about: "An agent called a tool that Troupe does not offer. Nothing was done.",
});

export const toolInputInvalid = defineError("AGENT_TOOL_INPUT_INVALID", {
  message: (details: { tool: string; field: string; problem: string }) =>
    details.field === ""
      ? `${details.tool}: ${details.problem}`
      : `${details.tool}: "${details.field}": ${details.problem}`,
  hint: (details) => `correct the input and call ${details.tool} again`,
  about:
    "An agent called a tool with an input that does not fit the tool's schema. The message names the first field that is wrong. Nothing was done.",
});

export const toolNotOffered = defineError("AGENT_TOOL_NOT_OFFERED", {
  message: (details: { tool: string; reason: string; offered: readonly string[] }) =>
    `"${details.tool}" cannot be called here: ${details.reason}`,
  hint: (details) =>
    details.offered.length === 0
      ? "no tool of Troupe's can"
      : `what can be called: ${details.offered.join(", ")}`,
  about:
    "The workflow decides what an agent may use: its `tools` name the only ones it is offered, and without a shared channel or document their tools are left out. Nothing was done.",
});

export const signalRefused = defineError("AGENT_SIGNAL_REFUSED", {
  message: (details: { kind: string; reason: string }) =>
    `signal "${details.kind}" does not count: ${details.reason}`,
  hint: () => "correct it and call signal again",
  about:
    "A signal counts only with a kind that the run knows and a payload in the form of that kind. The refused one is recorded and changes nothing.",
});

export const taskFailed = defineError("COLLAB_TASK_FAILED", {
  message: (details: { agent: string; status: string; text: string }) =>
    `the task of ${details.agent} is ${details.status}: ${details.text === "" ? "it said nothing" : details.text}`,
  hint: ({ agent }) => `Task {"resume": "${agent}", ...} lets it go on`,
  about:
    "The agent that was given the task failed, was cut off or was closed. Its last words are in the message.",
});
