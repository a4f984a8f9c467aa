import type { TraitsOf } from "../../contracts/backend.ts";
import type { StepsDefinition } from "../../contracts/definition.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { Program, ProgramResult } from "../../contracts/ports/program.ts";
import type { StepGuard, StepType } from "../../contracts/ports/step-type.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import { plainData } from "../steps/parts/step-data.ts";
import { createFlowContext } from "./flow-context.ts";
import { type FlowEnd, type FlowProgress, followPaths } from "./follow-paths.ts";
import { createStepEngine } from "./step-engine.ts";

/** What step workflows are made of. */
export interface StepsProgramParts {
  readonly traitsOf: TraitsOf;
  /** All that their steps may be of, built in or not. */
  readonly stepTypes: readonly StepType[];
  /** Beyond those that are built in. Defaults to none. */
  readonly guards?: readonly StepGuard[];
}

/** The name under which journals know it. */
export const STEPS_PROGRAM = "steps";

/** The program of step workflows: goes from step to step as they say. */
export function stepsProgram({
  stepTypes,
  guards: own = [],
  traitsOf,
}: StepsProgramParts): Program<StepsDefinition> {
  const types = new Map(stepTypes.map((type) => [type.name, type]));
  const guards = [...builtInGuards, ...own];
  return {
    name: STEPS_PROGRAM,
    run: (context, definition) => run(context, definition, { types, guards, traitsOf }),
  };
}

interface Registered {
  readonly types: ReadonlyMap<string, StepType>;
  readonly guards: readonly StepGuard[];
  readonly traitsOf: TraitsOf;
}

async function run(
  context: Context,
  definition: StepsDefinition,
  { types, guards, traitsOf }: Registered,
): Promise<ProgramResult> {
  const { maxDurationMs } = definition;
  const start = createFlowContext({
    workflowId: definition.name,
    startTime: toIsoTime(context.now()),
    input: context.run.input ?? context.run.task ?? null,
    initialContext: definition.initialContext,
  });
  const flow: FlowProgress = { current: start, isCut: false };
  const scope = context.scope(
    "steps",
    (door) => {
      const engine = createStepEngine({ context: door, definition, types, traitsOf, start });
      return followPaths({ engine, door, flow, guards });
    },
    { timeoutMs: maxDurationMs },
  );
  const end = await scope.result.catch((error: unknown): FlowEnd => {
    if (!(error instanceof TroupeError) || error.code !== "ENGINE_TIMED_OUT") throw error;
    const reason = `it took longer than the ${maxDurationMs} ms of max_duration_ms`;
    return { outcome: "limit-reached", reason, guard: "max_duration_ms" };
  });
  const path = flow.current.metadata.previousSteps;
  if (end.guard !== undefined)
    context.note({
      type: "guard-tripped",
      guard: end.guard,
      reason: end.reason,
      path: path.slice(-MAX_TOLD_STEPS),
    });
  const { outcome, guard } = end;
  const told = guard === undefined ? end.reason : `${guard}: ${end.reason}; ${lastSteps(path)}`;
  const last = flow.current.metadata.currentStep;
  return {
    outcome,
    reason: told,
    metadata: { path, context: flow.current.toData() },
    output: plainData(flow.current.dataOf(last) ?? null),
  };
}

const MAX_TOLD_STEPS = 20;
const MAX_NAMED_STEPS = 8;

/** How a workflow came to where a guard stopped it. */
function lastSteps(path: readonly string[]): string {
  if (path.length === 0) return "no step was over";
  const named = path.slice(-MAX_NAMED_STEPS).join(" → ");
  return `the way there: ${path.length > MAX_NAMED_STEPS ? "… → " : ""}${named}`;
}

/** Ends what would go round for ever. */
const iterations: StepGuard = {
  name: "max_iterations",
  check: ({ metadata }, { maxIterations }) =>
    metadata.iterationCount < maxIterations
      ? undefined
      : `${maxIterations} steps have run, as many as max_iterations allows; look at what leads back`,
};

/** Ends what fails again and again. */
const errors: StepGuard = {
  name: "max_errors",
  check: ({ metadata }, { maxErrors }) =>
    metadata.errorCount < maxErrors
      ? undefined
      : `${maxErrors} steps have failed, as many as max_errors allows`,
};

/**
 * Every built-in guard that looks at a workflow between two steps. `max_duration_ms` does not wait for that: it is a
 * deadline.
 */
const builtInGuards: readonly StepGuard[] = [iterations, errors];
