import type { AgentSpec } from "../../../contracts/agent.ts";
import type { PatternDefinition } from "../../../contracts/definition.ts";
import type { StepSpec } from "../../../contracts/step.ts";

/** The agents that work, without those that only watch. */
export function crewOf(agents: readonly AgentSpec[]): readonly AgentSpec[] {
  return agents.filter(({ shadow }) => shadow === undefined);
}

/** The agents that watch others. */
export function shadowsIn(agents: readonly AgentSpec[]): readonly AgentSpec[] {
  return agents.filter(({ shadow }) => shadow !== undefined);
}

/** The shadows that an agent can turn to: those that speak when it asks them. */
export function shadowsToAsk(agents: readonly AgentSpec[], agent: string): readonly AgentSpec[] {
  return agents.filter(
    ({ shadow }) =>
      shadow?.of === agent &&
      shadow.speakOn.some((trigger) => trigger !== "SESSION_END" && trigger !== "CODE_WRITTEN"),
  );
}

/** What a watched agent is told of its shadow, after the shadow's name. */
export function describeShadow({ shadow }: AgentSpec): string {
  const mayReview = shadow?.speakOn.includes("REVIEW_REQUEST") === true;
  return mayReview
    ? "watches you; a message of yours with a line REVIEW_REQUEST: WHAT asks it for a review"
    : "watches you; mention it to hear what it thinks";
}

/** The definition with a step for every agent that works if it has none: each gets the run's task, under its own id. */
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
