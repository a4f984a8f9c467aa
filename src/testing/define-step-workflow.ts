import type { StepsDefinition } from "../contracts/definition.ts";
import type { FlowStep } from "../contracts/flow-step.ts";
import { type TestAgent, toTestAgent } from "./define-test-workflow.ts";

/** A step of a test: what is left out is what a file would leave out. */
export type TestFlowStep = Pick<FlowStep, "id" | "type"> &
  Partial<Omit<FlowStep, "steps">> & { readonly steps?: readonly TestFlowStep[] };

/** A step workflow of a test. */
export type TestStepWorkflow = Partial<Omit<StepsDefinition, "steps" | "agents">> & {
  readonly agents?: readonly TestAgent[];
  readonly steps: readonly TestFlowStep[];
};

/** A whole definition from what a test says of it. */
export function defineStepWorkflow(given: TestStepWorkflow): StepsDefinition {
  const { agents = [], steps, ...others } = given;
  return {
    format: 1,
    shape: "steps",
    name: "test",
    params: {},
    prompts: {},
    parallel: false,
    initialContext: {},
    maxIterations: 100,
    maxDurationMs: 300_000,
    maxErrors: 10,
    channel: "main",
    workflows: {},
    ...others,
    agents: agents.map(toTestAgent),
    steps: steps.map(toStep),
  };
}

function toStep({ steps = [], ...given }: TestFlowStep): FlowStep {
  return {
    routes: {},
    maxAttempts: 1,
    retryDelayMs: 0,
    verify: [],
    settings: {},
    ...given,
    steps: steps.map(toStep),
  };
}
