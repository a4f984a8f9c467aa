import type { AgentHandle } from "../../contracts/agent.ts";
import type { StepsDefinition } from "../../contracts/definition.ts";
import type { Context } from "../../contracts/ports/context.ts";
import { commandLookup } from "../language/templates/prompt-lookup.ts";
import { renderAgent } from "../language/templates/render-agent.ts";
import { stepAgentUnknown } from "../steps/parts/errors.ts";
import type { FlowContext } from "./flow-context.ts";
import { scopeLookup } from "./step-scope.ts";
import type { StepTexts } from "./step-texts.ts";

/** What agents are spawned with. */
export interface StepAgentParts {
  /** Outlives every step, so that an agent does not go with the first one that uses it. */
  readonly context: Context;
  readonly definition: StepsDefinition;
  readonly texts: StepTexts;
  readonly start: FlowContext;
}

/** Spawns each agent when it is first used; its texts see the workflow's input and what the context begins with. */
export function createStepAgents(parts: StepAgentParts): (id: string) => Promise<AgentHandle> {
  const { context, definition, start } = parts;
  const lookup = commandLookup(scopeLookup(start));
  const spawned = new Map<string, Promise<AgentHandle>>();
  const spawn = (id: string) => {
    const spec = definition.agents.find((agent) => agent.id.toLowerCase() === id.toLowerCase());
    if (spec === undefined)
      throw stepAgentUnknown({ agent: id, known: definition.agents.map((agent) => agent.id) });
    return context.spawn(renderAgent(spec, lookup), { isShared: true });
  };
  return async (id) => {
    const handle = spawned.get(id) ?? spawn(id);
    spawned.set(id, handle);
    return handle;
  };
}
