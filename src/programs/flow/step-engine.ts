import type { AgentHandle } from "../../contracts/agent.ts";
import type { StepsDefinition } from "../../contracts/definition.ts";
import type { FlowStep } from "../../contracts/flow-step.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { StepType } from "../../contracts/ports/step-type.ts";
import { stepTypeUnknown } from "../steps/parts/errors.ts";
import { DataBounds } from "./data-bounds.ts";
import type { FlowContext } from "./flow-context.ts";
import { InputPrint } from "./input-print.ts";
import { createStepAgents } from "./step-agents.ts";
import { StepTexts } from "./step-texts.ts";
import { Truth } from "./truth.ts";

/** What all steps of one run share. */
export interface StepEngine {
  readonly definition: StepsDefinition;
  readonly texts: StepTexts;
  readonly truth: Truth;
  readonly print: InputPrint;
  readonly bounds: DataBounds;
  /** The steps that routes can name. */
  readonly stepsById: ReadonlyMap<string, FlowStep>;
  /** Raises WORKFLOW_UNKNOWN_STEP_TYPE. */
  typeOf(step: FlowStep): StepType;
  /** The settings of a step as its type has parsed them. */
  settingsOf(step: FlowStep): unknown;
  /** From 1 for each path. */
  nextExecution(path: string): number;
  agent(id: string): Promise<AgentHandle>;
}

/** What is needed beside the definition. */
export interface StepEngineParts {
  readonly context: Context;
  readonly definition: StepsDefinition;
  readonly types: ReadonlyMap<string, StepType>;
  /** The workflow before its first step. */
  readonly start: FlowContext;
}

/** The shared state of a run that begins, or is replayed. */
export function createStepEngine({
  context,
  definition,
  types,
  start,
}: StepEngineParts): StepEngine {
  const settings = new Map<FlowStep, unknown>();
  const executions = new Map<string, number>();
  const texts = new StepTexts();
  const typeOf = (step: FlowStep) => {
    const type = types.get(step.type);
    if (type === undefined)
      throw stepTypeUnknown({ step: step.id, type: step.type, known: [...types.keys()] });
    return type;
  };
  return {
    definition,
    texts,
    truth: new Truth(),
    bounds: new DataBounds(),
    stepsById: new Map(definition.steps.map((step) => [step.id, step])),
    print: new InputPrint(definition, texts, typeOf),
    typeOf,
    settingsOf: (step) => {
      if (!settings.has(step)) settings.set(step, typeOf(step).settings.parse(step.settings));
      return settings.get(step);
    },
    nextExecution: (path) => {
      const execution = (executions.get(path) ?? 0) + 1;
      executions.set(path, execution);
      return execution;
    },
    agent: createStepAgents({ context, definition, texts, start }),
  };
}
