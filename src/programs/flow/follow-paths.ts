import type { FlowStep } from "../../contracts/flow-step.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { ProgramResult } from "../../contracts/ports/program.ts";
import type { StepGuard, StepRoute } from "../../contracts/ports/step-type.ts";
import type { StepRecord } from "../../contracts/step-context.ts";
import { rejected } from "../steps/parts/errors.ts";
import { executeFlowStep } from "./execute-flow-step.ts";
import type { FlowContext } from "./flow-context.ts";
import { type FlowPath, pathsOf } from "./flow-paths.ts";
import type { StepEngine } from "./step-engine.ts";

/** How a workflow ended by itself or by a guard. */
export interface FlowEnd {
  readonly outcome: ProgramResult["outcome"];
  readonly reason: string;
  /** The guard that ended it. */
  readonly guard?: string;
}

/** A workflow that goes on. */
export interface Following {
  readonly engine: StepEngine;
  readonly door: Context;
  readonly flow: FlowProgress;
  readonly guards: readonly StepGuard[];
}

/** How far a workflow has come; all of its paths write to it. */
export interface FlowProgress {
  current: FlowContext;
  /** How one path ended the whole workflow. */
  end?: FlowEnd;
  /** Whether no path begins another step. */
  isCut: boolean;
}

// A chain of steps that ask nothing of the engine would hold up everything else in the process.
const STEPS_BETWEEN_BREATHS = 128;

/** Follows every path of a workflow to its end, and says truthfully how that ended (ENG-11). */
export async function followPaths(following: Following): Promise<FlowEnd> {
  const { engine, door, flow } = following;
  const paths = pathsOf(engine.definition, engine);
  const [only] = paths;
  if (paths.length === 1 && only !== undefined) await followPath(following, door, only.start);
  else await followAll(following, paths);
  if (flow.end !== undefined) return flow.end;
  const failure = engine.truth.first;
  if (failure !== undefined)
    return {
      outcome: failure.error.code === rejected.code ? "rejected" : "failed",
      reason: `step "${failure.path}" failed: ${failure.error.message}`,
    };
  const { iterationCount } = flow.current.metadata;
  return { outcome: "completed", reason: `${iterationCount} steps done` };
}

/** Paths side by side, each when those that it looks at are over; one that ends the workflow ends the others. */
async function followAll(following: Following, paths: readonly FlowPath[]): Promise<void> {
  const { door, engine, flow } = following;
  const places = new Places(engine.definition.maxConcurrency ?? Infinity);
  const over = new Map<string, Promise<void>>();
  const scopes = paths.map(({ start, after }) => {
    const scope = door.scope(`path-${start}`, async (own) => {
      for (const before of after) await over.get(before);
      await places.take();
      try {
        await followPath(following, own, start);
      } catch (error) {
        flow.isCut = true;
        throw error;
      } finally {
        places.free();
      }
    });
    over.set(start, scope.result);
    return scope;
  });
  const endings = await Promise.allSettled(
    scopes.map(async (scope) => {
      await scope.result;
      if (flow.end !== undefined) for (const other of scopes) other.cancel(flow.end.reason);
    }),
  );
  // What the path that ended the workflow cut off has nothing to say.
  if (flow.end !== undefined) return;
  for (const ending of endings) if (ending.status === "rejected") throw ending.reason;
}

/** Places of paths that run at the same time, given out in the order in which they are asked for. */
class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  take(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  free(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

/** Goes from step to step until the path is over, or the workflow. */
async function followPath(following: Following, door: Context, start: string): Promise<void> {
  const { engine, flow } = following;
  const byId = engine.stepsById;
  let before = "";
  let next: string | undefined = start;
  while (next !== undefined && !flow.isCut) {
    const tripped = check(following);
    if (tripped !== undefined) return cut(flow, tripped);
    const step = byId.get(next);
    if (step === undefined) throw new Error(`the definition has no step "${next}"`);
    flow.current = flow.current.withIteration();
    if (flow.current.metadata.iterationCount % STEPS_BETWEEN_BREATHS === 0) await door.sleep(0);
    const record = await executeFlowStep(engine, {
      step,
      path: step.id,
      key: step.id,
      door,
      // Of steps on another path, the one that was done last is not the one before this.
      context: flow.current.seenAfter(before),
    });
    flow.current = flow.current.addResult(record);
    if (record.isSkipped !== true) {
      flow.current = flow.current.withStep(step.id, !record.success);
      if (record.isLookedThrough !== true) before = step.id;
    }
    const route = routeOf(engine, { step, record }, flow.current);
    if (route.kind === "end" && route.outcome !== undefined)
      return cut(flow, {
        outcome: route.outcome,
        reason: route.reason ?? `step "${step.id}" ended the run`,
      });
    next = route.kind === "step" ? route.id : undefined;
    if (!record.success && next !== undefined && next === step.routes["on_error"])
      engine.truth.handle(step.id);
  }
}

function cut(flow: FlowProgress, end: FlowEnd): void {
  flow.end ??= end;
  flow.isCut = true;
}

function check({ engine, flow, guards }: Following): FlowEnd | undefined {
  for (const guard of guards) {
    const reason = guard.check(flow.current, engine.definition);
    if (reason !== undefined) return { outcome: "limit-reached", reason, guard: guard.name };
  }
  return undefined;
}

function routeOf(
  engine: StepEngine,
  { step, record }: { readonly step: FlowStep; readonly record: StepRecord },
  context: FlowContext,
): StepRoute {
  const type = engine.typeOf(step);
  if (record.isSkipped !== true && type.route !== undefined)
    return type.route(step, record, context);
  const { next, on_error } = step.routes;
  const forward = type.forward === undefined ? next : (step.routes[type.forward] ?? next);
  const id = record.success ? forward : on_error;
  return id === undefined ? { kind: "end" } : { kind: "step", id };
}
