import { z } from "zod";
import { agentSpecSchema } from "../../../agents/agent-spec-schema.ts";
import { describeBackend } from "../../../agents/backends/registry.ts";
import { budgetSchema } from "../../../agents/budget/budget-schema.ts";
import type { StepsDefinition, WorkflowDefinition } from "../../../contracts/definition.ts";
import type { FlowStep } from "../../../contracts/flow-step.ts";
import type { StepType } from "../../../contracts/ports/step-type.ts";
import type { StepSpec } from "../../../contracts/step.ts";
import { formatDuration } from "../../../foundation/duration.ts";
import { isJsonObject, type Json, toJson } from "../../../foundation/json.ts";
import { present } from "../../../foundation/present.ts";
import { graphOfFlow } from "../../../observers/graph/graph-of-flow.ts";
import { pathsOf } from "../../../programs/flow/flow-paths.ts";
import { flowSteps } from "../../../programs/flow/flow-steps.ts";
import { StepTexts } from "../../../programs/flow/step-texts.ts";
import { STEPS_PROGRAM, stepsProgram } from "../../../programs/flow/steps-program.ts";
import { loadPatterns } from "../../../programs/patterns/registry.ts";
import { channelNameOf } from "../../../programs/primitives/channel-name.ts";
import { loadStepTypes } from "../../../programs/steps/registry.ts";
import { NO_CODE, type WorkflowCode } from "../code/workflow-code.ts";
import {
  paramSpecSchema,
  trajectorySpecSchema,
  verificationSpecSchema,
} from "./definition-schema.ts";
import { type StepTypeFinder, stepTypesIn, typesWith } from "./find-step-type.ts";
import { planOfFlow } from "./flow-plan.ts";
import type {
  EnvironmentChanges,
  OrderedStep,
  RunIdentity,
  RunSetup,
  ShapeSetting,
  WorkflowShape,
  WrittenEnvironment,
} from "./shape.ts";
import { inputErrors, inputWarnings } from "./steps-input.ts";
import { toStepsResult } from "./steps-result.ts";

const flowStep: z.ZodType<FlowStep> = z.object({
  id: z.string(),
  type: z.string(),
  description: z.string().exactOptional(),
  when: z.string().exactOptional(),
  routes: z.record(z.string(), z.string()),
  maxAttempts: z.number().int().min(1),
  retryDelayMs: z.number(),
  passEnv: z.array(z.string()).exactOptional(),
  timeoutMs: z.number().exactOptional(),
  budget: budgetSchema.exactOptional(),
  input: z.string().exactOptional(),
  output: z.string().exactOptional(),
  verify: z.array(verificationSpecSchema),
  steps: z.array(z.lazy(() => flowStep)),
  settings: z.record(z.string(), z.json()),
});

/** A step workflow as journals hold it. */
const stepsDefinitionSchema = (any: z.ZodType<WorkflowDefinition>): z.ZodType<StepsDefinition> =>
  z.object({
    format: z.literal([1, 2]),
    shape: z.literal("steps"),
    name: z.string(),
    description: z.string().exactOptional(),
    params: z.record(z.string(), paramSpecSchema),
    agents: z.array(agentSpecSchema),
    prompts: z.record(z.string(), z.string()),
    steps: z.array(flowStep),
    parallel: z.boolean(),
    initialContext: z.record(z.string(), z.json()),
    maxIterations: z.number(),
    maxDurationMs: z.number(),
    maxErrors: z.number(),
    maxConcurrency: z.number().exactOptional(),
    timeoutMs: z.number().exactOptional(),
    budget: budgetSchema.exactOptional(),
    trajectory: trajectorySpecSchema.exactOptional(),
    channel: z.string(),
    workflows: z.record(z.string(), any),
  });

/** Workflows that go from step to step as the steps say. */
export async function loadStepsShape(): Promise<WorkflowShape<StepsDefinition>> {
  return createStepsShape(await loadStepTypes(), NO_CODE);
}

function createStepsShape(
  builtIn: readonly StepType[],
  code: WorkflowCode,
): WorkflowShape<StepsDefinition> {
  const types = stepTypesIn(typesWith(builtIn, code));
  const programWith = async (given: WorkflowCode = code) => {
    const stepTypes = [...typesWith(builtIn, given), ...given.stepTypes];
    return stepsProgram({ stepTypes, guards: given.guards, traitsOf: describeBackend });
  };
  return {
    with: (given) => createStepsShape(builtIn, given),
    schema: stepsDefinitionSchema,
    label: () => "steps",
    program: (_definition, code) => programWith(code),
    programNamed: async (name, code) => (name === STEPS_PROGRAM ? programWith(code) : undefined),
    loadPatterns: async () => [...(await loadPatterns()), ...code.patterns],
    patterns: ({ steps }) =>
      flowSteps(steps).flatMap(
        ({ step }) => types.find(step.type)?.patterns?.(step.settings) ?? [],
      ),
    routeTests: async (definition) =>
      fromSteps(definition, types, (type, settings) => type.routeTests?.(settings, definition)),
    claims: async (definition) =>
      fromSteps(definition, types, (type, settings) => type.claims?.(settings, definition)),
    takesInput: true,
    complete: (definition) => definition,
    setup,
    resultOf: async (definition) => (source, returned) =>
      toJson(toStepsResult(source.state, { definition, types }, returned), "the result of a run"),
    steps: (definition) => agentSteps(definition, types),
    ordered: (definition) => ordered(definition, types),
    inputErrors: (definition, given, needsInput) =>
      inputErrors(definition, given, { types, needsInput }),
    inputWarnings: (definition, given, needsInput) =>
      inputWarnings(definition, given, { types, needsInput }),
    withMaxConcurrency: (definition, maxConcurrency) => ({ ...definition, maxConcurrency }),
    graph: async (definition) =>
      graphOfFlow(definition, { workOf: types.workOf, waits: waitsOf(definition, types) }),
    settings,
    limits: async ({ maxConcurrency = null, maxIterations, maxDurationMs, maxErrors }) => ({
      maxConcurrency,
      onFailure: null,
      guards: { maxIterations, maxDurationMs, maxErrors },
    }),
    stepTypes: ({ steps }) => [...new Set(flowSteps(steps).map(({ step }) => step.type))],
    withEnvironments: (definition, changes) => withEnvironments(definition, changes, types),
    children: ({ workflows }) => workflows,
    commands: () => [],
    plan: planOfFlow(types),
  };
}

/** What the types of its steps say, as far as they are known here. */
function fromSteps<Item>(
  { steps }: StepsDefinition,
  types: StepTypeFinder,
  ask: (type: StepType, settings: unknown) => readonly Item[] | undefined,
): readonly Item[] {
  return flowSteps(steps).flatMap(({ step }) => {
    const { type, settings } = types.read(step) ?? {};
    return (type === undefined ? undefined : ask(type, settings)) ?? [];
  });
}

function setup(
  { channel, steps, trajectory }: StepsDefinition,
  { id: run }: RunIdentity,
): RunSetup {
  return {
    mainChannel: channelNameOf(channel, run),
    markers: [],
    stepTotal: flowSteps(steps).length,
    stepBudgets: new Map(
      flowSteps(steps).flatMap(({ step: { id, budget } }) =>
        budget === undefined ? [] : [[id, budget] as const],
      ),
    ),
    isMessageDriven: false,
    isExclusive: false,
    announces: "none",
    shares: {
      channel: true,
      document: true,
      ...present({ trajectory: trajectory && (true as const) }),
    },
  };
}

async function withEnvironments(
  definition: StepsDefinition,
  { env, child }: EnvironmentChanges,
  types: StepTypeFinder,
): Promise<StepsDefinition> {
  const workflows = Object.entries(definition.workflows).map(
    async ([name, workflow]) => [name, await child(workflow)] as const,
  );
  const steps = definition.steps.map((step) => inStep(step, env, types));
  return { ...definition, steps, workflows: Object.fromEntries(await Promise.all(workflows)) };
}

/** Of types that run no program, `env` means what its author says. */
function inStep(
  step: FlowStep,
  change: EnvironmentChanges["env"],
  types: StepTypeFinder,
): FlowStep {
  const steps = step.steps.map((nested) => inStep(nested, change, types));
  const { environment: key } = types.of(step);
  const env = key === undefined ? undefined : step.settings[key];
  if (key === undefined || !isTexts(env)) return { ...step, steps };
  return { ...step, steps, settings: { ...step.settings, [key]: change(env) } };
}

function isTexts(value: Json | undefined): value is WrittenEnvironment {
  return isJsonObject(value) && Object.values(value).every((text) => typeof text === "string");
}

/** What agents do in the steps of a workflow, one entry for each agent of a step. */
function agentSteps({ steps }: StepsDefinition, types: StepTypeFinder): readonly StepSpec[] {
  return flowSteps(steps).flatMap(({ step }) =>
    types.workOf(step).agents.map((agent): StepSpec => {
      const { id, when, maxAttempts, retryDelayMs, timeoutMs, budget, verify } = step;
      return {
        id,
        agent,
        dependsOn: [],
        ...(when === undefined ? {} : { when }),
        maxAttempts,
        retryDelayMs,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(budget === undefined ? {} : { budget }),
        verify,
        fallback: [],
      };
    }),
  );
}

/** Steps outside of others; each after those that may lead to it, as long as that leads onward in the file. */
function ordered(definition: StepsDefinition, types: StepTypeFinder): readonly OrderedStep[] {
  const waits = waitsOf(definition, types);
  const before = new Map<string, string[]>();
  const seen = new Set<string>();
  for (const { id, routes } of definition.steps) {
    seen.add(id);
    for (const to of new Set(Object.values(routes)))
      if (!seen.has(to)) before.set(to, [...(before.get(to) ?? []), id]);
  }
  return definition.steps.map((step) => {
    const [agent] = types.workOf(step).agents;
    const own = waits.filter(({ to }) => to === step.id).map(({ from }) => from);
    const dependsOn = [...new Set([...(before.get(step.id) ?? []), ...own])];
    return { id: step.id, ...(agent === undefined ? {} : { agent }), dependsOn, isRouted: true };
  });
}

function waitsOf(
  definition: StepsDefinition,
  types: StepTypeFinder,
): readonly { readonly from: string; readonly to: string }[] {
  if (!definition.parallel) return [];
  const paths = pathsOf(definition, {
    texts: new StepTexts(),
    typeOf: types.of,
    traitsOf: describeBackend,
  });
  return paths.flatMap(({ start, after }) => after.map((from) => ({ from, to: start })));
}

function settings({
  timeoutMs,
  maxConcurrency,
  maxIterations,
  maxDurationMs,
  maxErrors,
}: StepsDefinition): readonly ShapeSetting[] {
  return [
    ...(timeoutMs === undefined
      ? []
      : [
          {
            path: ["timeout"],
            value: formatDuration(timeoutMs),
            inFile: ["options", "timeout_ms"],
            inConfig: ["defaults", "timeout"],
          },
        ]),
    ...(maxConcurrency === undefined
      ? []
      : [
          {
            path: ["maxConcurrency"],
            value: maxConcurrency,
            inFile: ["max_concurrency"],
            inConfig: ["defaults", "maxConcurrency"],
          },
        ]),
    { path: ["max_iterations"], value: maxIterations, inFile: ["max_iterations"] },
    {
      path: ["max_duration"],
      value: formatDuration(maxDurationMs),
      inFile: ["max_duration_ms"],
    },
    { path: ["max_errors"], value: maxErrors, inFile: ["max_errors"] },
  ];
}
