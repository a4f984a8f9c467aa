import type { PatternDefinition } from "../../contracts/definition.ts";
import type { StepSpec } from "../../contracts/step.ts";
import { crewOf } from "./shadows/crew.ts";

/** The definition with a step for every agent that works if it has none: each gets the run's task, under its own id. */
export function withImpliedSteps(definition: PatternDefinition): PatternDefinition {
  if (definition.steps.length > 0) return definition;
  return { ...definition, steps: crewOf(definition.agents).map(({ id }) => impliedStep(id)) };
}

function impliedStep(agent: string): StepSpec {
  return {
    id: agent,
    agent,
    dependsOn: [],
    maxAttempts: 1,
    retryDelayMs: 0,
    verify: [],
    fallback: [],
  };
}
