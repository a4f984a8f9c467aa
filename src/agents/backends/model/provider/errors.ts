import { defineError } from "../../../../foundation/errors.ts";

export const modelKeyMissing = defineError("BACKEND_MODEL_KEY_MISSING", {
  message: (details: {
    agent: string;
    model: string;
    provider: string;
    variables: readonly string[];
  }) =>
    `agent "${details.agent}": ${details.model} needs a key in ${details.variables.join(" or ")}, which is not set`,
  hint: ({ provider, variables: [variable = "THE_KEY"] }) =>
    `export ${variable}=…, or name another variable in the configuration: backends.${provider}.apiKeyEnv`,
  about:
    "Agents of backend model ask their provider themselves, with a key from an environment variable. Keys never stand in a file.",
});

export const contextFull = defineError("AGENT_CONTEXT_FULL", {
  message: (details: { agent: string; model: string; problem: string }) =>
    `the context of agent "${details.agent}" is too long for ${details.model}, also after it was made shorter: ${details.problem}`,
  hint: () =>
    "give the agent less at once, or say how much its model takes: backends.PROVIDER.contextWindow",
  about:
    "What a model is shown has to fit into its window. Old results of tools are left out first, then a summary stands for what was long ago. What is new alone was too long.",
});

export const badToolCalls = defineError("AGENT_BAD_TOOL_CALLS", {
  message: (details: { agent: string; badCalls: number }) =>
    `agent "${details.agent}" called tools wrongly ${details.badCalls} times in a row`,
  hint: () => "give it a model that is better at calling tools",
  about:
    "A model that calls a tool that does not exist, or gives it what it does not take, is told so. After ten such calls in a row the turn fails.",
});
