import type { AgentSpec } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import type { StepSpec } from "../../contracts/step.ts";
import { crewOf } from "./shadows/crew.ts";

/**
 * The definition with a step for every agent that works if it has none, and its pattern gives no turns itself: each gets
 * its part, or the run's task, under its own id.
 */
export function withImpliedSteps(definition: PatternDefinition): PatternDefinition {
  if (definition.steps.length > 0 || definition.turns !== undefined) return definition;
  return { ...definition, steps: crewOf(definition.agents).map(impliedStep) };
}

function impliedStep({ id, task }: AgentSpec): StepSpec {
  return {
    id,
    agent: id,
    ...(task === undefined ? {} : { prompt: task }),
    dependsOn: [],
    maxAttempts: 1,
    retryDelayMs: 0,
    verify: [],
    fallback: [],
  };
}
