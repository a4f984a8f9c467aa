import type { AgentSpec } from "../contracts/agent.ts";
import type { PatternDefinition } from "../contracts/definition.ts";
import { stampFormat } from "../contracts/definition-format.ts";
import type { Pattern } from "../contracts/ports/pattern.ts";
import type { BarrierSpec, StepSpec } from "../contracts/step.ts";
import { builtInPatterns } from "../programs/patterns/registry.ts";
import { ownTurnsOf } from "../programs/primitives/own-turns.ts";

/** An agent of a test; scripted unless it names another backend. */
export type TestAgent = Pick<AgentSpec, "id"> & Partial<AgentSpec>;

/** A step of a test; it belongs to the agent of its own id, or to the only agent, unless it names one. */
export type TestStep = Pick<StepSpec, "id"> & Partial<StepSpec>;

/**
 * What a test says of a workflow; all else has the defaults of a file, but that its run takes as long as it takes. `options`
 * is the block of the pattern.
 */
export interface TestWorkflow
  extends Partial<Omit<PatternDefinition, "agents" | "steps" | "barriers">> {
  readonly agents: readonly TestAgent[];
  readonly steps?: readonly TestStep[];
  readonly barriers?: readonly BarrierSpec[];
}

/** What the defaults of a workflow follow from. */
type PatternTraits = Pick<Pattern, "order" | "goalKey" | "onFailure">;

// A pattern of one's own gives turns itself.
const OWN: PatternTraits = { order: "mode", onFailure: "continue" };

/** A pattern workflow for tests: a `dag` named `test` unless told otherwise. */
export function defineTestWorkflow(
  workflow: TestWorkflow,
  traits: PatternTraits = traitsOf(workflow.pattern),
): PatternDefinition {
  const { pattern = "dag", agents, steps = [], options: block = {}, mode } = workflow;
  const hasSteps = steps.length > 0;
  const plain = { maxAttempts: 1, retryDelayMs: 0, turnTimeoutMs: undefined, bounds: {} };
  return {
    ...stampFormat({ shape: "pattern" } as const),
    name: "test",
    params: {},
    barriers: [],
    onFailure: traits.onFailure,
    channel: "main",
    options: {},
    ...ownTurnsOf(traits, { block, mode, hasSteps, ...plain }),
    ...workflow,
    pattern,
    agents: agents.map(toTestAgent),
    steps: steps.map((step) => toStep(step, agents)),
  };
}

function traitsOf(pattern = "dag"): PatternTraits {
  return builtInPatterns.find(({ name }) => name === pattern) ?? OWN;
}

/** The whole of an agent of a test. */
export function toTestAgent(agent: TestAgent): AgentSpec {
  return { backend: "script", ...agent };
}

function toStep(step: TestStep, agents: readonly TestAgent[]): StepSpec {
  const [first] = agents;
  const isAgent = agents.some((agent) => agent.id === step.id);
  return {
    ...(step.run === undefined
      ? { agent: isAgent || first === undefined ? step.id : first.id }
      : {}),
    dependsOn: [],
    maxAttempts: 1,
    retryDelayMs: 0,
    verify: [],
    fallback: [],
    ...step,
  };
}
