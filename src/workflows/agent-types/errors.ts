import { defineError } from "../../foundation/errors.ts";
import { didYouMean } from "../../foundation/near-names.ts";

export const agentTypeInvalid = defineError("AGENT_TYPE_INVALID", {
  message: (details: { where: string; problem: string; hint?: string }) =>
    `${details.where}: ${details.problem}`,
  hint: (details) => details.hint,
  about:
    "An agent type is a Markdown file of .troupe/agents, .claude/agents, .opencode/agent or .openagents/agents, of the project or the user. It begins with a line of three dashes, YAML with at least name and description, and another such line; what follows is its prompt. In the last two the name of the file stands for a missing name. It has at most 256 KiB. An agent in an opencode.json is one, too.",
});

export const agentTypeKey = defineError("AGENT_TYPE_KEY", {
  message: (details: { where: string; key: string; problem: string; known?: readonly string[] }) =>
    `${details.where}: ${details.key} ${details.problem}`,
  hint: ({ key, known }) => (known === undefined ? undefined : didYouMean(key, known)),
  about:
    "An agent type says something that means nothing here, or that this version does not carry out. The agent runs without it, unless it is a tool that disallowedTools keeps from it: then it does not run.",
});

export const agentTypeVariable = defineError("AGENT_TYPE_VARIABLE", {
  message: (details: { where: string; name: string; step: string; known: readonly string[] }) =>
    `${details.where}: the prompt takes {{${details.name}}}, which step "${details.step}" does not give`,
  hint: ({ name, known }) => {
    const [root = ""] = name.split(".");
    return known.includes(root)
      ? `add input: ${root} to the step`
      : `a prompt sees ${["input", "context", "errors", "steps.ID.output"].join(", ")} and what the step's input names`;
  },
  about:
    "The prompt of an agent type is filled in for each step that uses it: with input, context and errors, with what the step's input names, and with item and index where steps are repeated.",
});

export const agentTypeUntrusted = defineError("AGENT_TYPE_UNTRUSTED", {
  message: (details: { name: string; file: string }) =>
    `the agent type "${details.name}" of ${details.file} cannot be used: this project is not trusted, or the file has changed since`,
  hint: ({ file }) => `read ${file}, then: troupe trust; or once: --trust`,
  about:
    "Agent types of a project are found without being named on the command line, so they take effect only in a project that was trusted with the content that they have now.",
});

export const agentTypeTwice = defineError("AGENT_TYPE_TWICE", {
  message: (details: { name: string; file: string; other: string }) =>
    `${details.file} and ${details.other} both describe the agent type "${details.name}"`,
  hint: () => "give each its own name",
  about:
    "Two files of one directory have the same name in their YAML; it is not clear which is meant.",
});
