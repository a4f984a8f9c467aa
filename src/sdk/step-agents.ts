import { agentNotThere, functionNotAsked } from "../app/workflow/shapes/errors.ts";
import type { AgentSpec } from "../contracts/agent.ts";
import type { AgentFunction, AgentFunctionInput } from "../contracts/agent-function.ts";
import type { WorkflowDefinition } from "../contracts/definition.ts";
import { PATTERN_FUNCTIONS, type PatternFunctions } from "../contracts/pattern-functions.ts";
import { isRecord, type Json } from "../foundation/json.ts";
import { didYouMean } from "../foundation/near-names.ts";

/**
 * An agent of a step workflow that is a function. It is given `{input, context, errors?}` and what the step's `input`
 * names; a text or a JSON value is its answer, and what it throws fails the attempt.
 */
export type StepAgent = (
  input: { readonly [name: string]: Json },
  call: AgentFunctionInput,
) => unknown;

/** A workflow in which functions take the place of agents. Raises WORKFLOW_FUNCTION_UNUSED. */
export function withFunctions<Definition extends WorkflowDefinition>(
  definition: Definition,
  agents: { readonly [agent: string]: unknown },
): Definition {
  const ids = definition.agents.map(({ id }) => id);
  for (const agent of Object.keys(agents)) {
    if (ids.includes(agent)) continue;
    const hint = didYouMean(agent, ids, "agents");
    throw agentNotThere({ agent, ...(hint === undefined ? {} : { hint }) });
  }
  return {
    ...definition,
    agents: definition.agents.map((agent) =>
      Object.hasOwn(agents, agent.id) ? asFunction(agent) : agent,
    ),
  };
}

/** A workflow whose pattern asks these functions. Raises PATTERN_FUNCTION_UNUSED for workflows without one. */
export function withPatternFunctions<Definition extends WorkflowDefinition>(
  definition: Definition,
  given: PatternFunctions,
): Definition {
  const functions = PATTERN_FUNCTIONS.filter((name) => given[name] !== undefined);
  const [first] = functions;
  if (first === undefined) return definition;
  if (definition.shape !== "pattern") throw functionNotAsked({ name: first });
  return { ...definition, functions };
}

/** The functions as the backend calls them. */
export function toAgentFunctions(agents: {
  readonly [agent: string]: StepAgent;
}): ReadonlyMap<string, AgentFunction> {
  return new Map(Object.entries(agents).map(([id, agent]) => [id, toAgentFunction(agent)]));
}

/** The program of the agent is the function: what was meant for another one is left behind. */
function asFunction({ settings: _settings, model: _model, ...agent }: AgentSpec): AgentSpec {
  return { ...agent, backend: "function" };
}

function toAgentFunction(agent: StepAgent): AgentFunction {
  return (call) => agent(inputOf(call.task), call);
}

/** Inside of a pattern an agent gets a task in words. */
function inputOf(task: string): { readonly [name: string]: Json } {
  try {
    const value: Json = JSON.parse(task);
    return isObject(value) ? value : { input: value };
  } catch {
    return { input: task };
  }
}

function isObject(value: Json): value is { readonly [name: string]: Json } {
  return isRecord(value);
}
