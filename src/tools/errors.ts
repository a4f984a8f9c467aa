import { defineError } from "../foundation/errors.ts";
import { didYouMean } from "../foundation/near-names.ts";

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
