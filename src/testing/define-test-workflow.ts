import type { AgentSpec } from "../contracts/agent.ts";
import type { PatternDefinition } from "../contracts/definition.ts";
import type { BarrierSpec, StepSpec } from "../contracts/step.ts";
import { builtInPatterns } from "../programs/patterns/registry.ts";

/** An agent of a test; scripted unless it names another backend. */
export type TestAgent = Pick<AgentSpec, "id"> & Partial<AgentSpec>;

/** A step of a test; it belongs to the agent of its own id, or to the only agent, unless it names one. */
export type TestStep = Pick<StepSpec, "id"> & Partial<StepSpec>;

/** What a test says of a workflow; all else has the defaults of a file. */
export interface TestWorkflow
  extends Partial<Omit<PatternDefinition, "agents" | "steps" | "barriers">> {
  readonly agents: readonly TestAgent[];
  readonly steps?: readonly TestStep[];
  readonly barriers?: readonly BarrierSpec[];
}

/** A pattern workflow for tests: a `dag` named `test` unless told otherwise. */
export function defineTestWorkflow(workflow: TestWorkflow): PatternDefinition {
  const { pattern = "dag", agents, steps = [] } = workflow;
  const known = builtInPatterns.find((candidate) => candidate.name === pattern);
  return {
    format: 1,
    shape: "pattern",
    name: "test",
    params: {},
    barriers: [],
    onFailure: known?.onFailure ?? "abort",
    channel: "main",
    options: {},
    ...workflow,
    pattern,
    agents: agents.map(toTestAgent),
    steps: steps.map((step) => toStep(step, agents)),
  };
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
