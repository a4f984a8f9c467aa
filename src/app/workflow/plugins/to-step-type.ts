import { z } from "zod";
import type { FlowStep } from "../../../contracts/flow-step.ts";
import type { StepCall } from "../../../contracts/ports/context.ts";
import type {
  StepRoute,
  StepRun,
  StepType,
  StepTypeCall,
} from "../../../contracts/ports/step-type.ts";
import type { StepRecord, WorkflowContext } from "../../../contracts/step-context.ts";
import { PLAIN_STEP } from "../../../programs/steps/parts/plain-step.ts";
import type { UserStepType } from "../code/workflow-code.ts";
import { routeUnknown } from "./errors.ts";

const NO_SETTINGS = z.strictObject({});

/**
 * The step type that a declaration stands for. Its code runs inside of a journaled step: at least once for each
 * attempt, its result is recorded exactly once.
 */
export function toStepType(options: UserStepType): StepType {
  const { name, summary, settings, routes, expressions, templates, defaultTimeoutMs } = options;
  return {
    ...PLAIN_STEP,
    name,
    summary: summary ?? "a step type of your own",
    settings: settings ?? NO_SETTINGS,
    routes: routes ?? [],
    mayBeNested: routes === undefined && options.route === undefined,
    expressions: expressions ?? [],
    templates: templates ?? [],
    deadline: "itself",
    ...(defaultTimeoutMs === undefined ? {} : { defaultTimeoutMs }),
    takesWholeInput: () => true,
    run: async (run) => ({ data: await execute(options, run) }),
    ...(options.route === undefined
      ? {}
      : { route: (step, record, context) => chooseRoute(options, { step, record, context }) }),
  };
}

function execute(options: UserStepType, run: StepRun) {
  const { context, scope, step } = run;
  const { timeoutMs } = step;
  return context.step(
    "execute",
    (call) => options.execute(scope.toInput(), toCall(run, call)),
    timeoutMs === undefined ? {} : { timeoutMs },
  );
}

/** The members of the call are looked up when they are asked for: a signal that is never read costs nothing. */
function toCall({ step, settings, scope }: StepRun, call: StepCall): StepTypeCall<unknown> {
  return {
    step,
    settings,
    scope,
    get signal() {
      return call.signal;
    },
    get attempt() {
      return call.attempt;
    },
    get key() {
      return call.key;
    },
    get host() {
      return call.host;
    },
  };
}

interface Finished {
  readonly step: FlowStep;
  readonly record: StepRecord;
  readonly context: WorkflowContext;
}

/** A failure goes where the file sends it; all else is for the type to decide. Raises STEP_ROUTE_UNKNOWN. */
function chooseRoute(options: UserStepType, { step, record, context }: Finished): StepRoute {
  const { on_error: onError } = step.routes;
  if (!record.success && onError !== undefined) return { kind: "step", id: onError };
  const id = options.route?.(step, record, context) ?? null;
  if (id === null) return { kind: "end" };
  const routes = [...new Set(Object.values(step.routes))];
  if (routes.includes(id)) return { kind: "step", id };
  throw routeUnknown({ step: step.id, type: options.name, route: id, routes });
}
