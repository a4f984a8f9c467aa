import type { PatternDefinition } from "../../contracts/definition.ts";
import type { Context, Scope } from "../../contracts/ports/context.ts";
import type { StepSpec } from "../../contracts/step.ts";
import type { ErrorReport } from "../../foundation/errors.ts";
import type { ConventionFacts } from "../patterns/conventions/convention-facts.ts";
import { BarrierWatch } from "./barrier.ts";
import { executePatternStep, placeOf } from "./execute-pattern-step.ts";
import { ReadyQueue } from "./ready-queue.ts";
import { lets, type StepResult, type StepResults } from "./step-results.ts";
import type { Team } from "./team.ts";

// Owns the order of a pattern's steps: who starts when, what a failure means for the rest. Deciding is
// pure; every wait is an operation of the context.

/** What a pattern adds to its steps. */
export interface StepGraphOptions {
  readonly context: Context;
  readonly definition: PatternDefinition;
  readonly team: Team;
  /** Ids of steps and barriers that a step waits for. */
  readonly dependsOn: (step: StepSpec) => readonly string[];
  /** Whether a step may start although this one before it failed. Defaults to no. */
  readonly goesOnAfter?: (id: string) => boolean;
  readonly convention: (step: StepSpec, facts: ConventionFacts, results: StepResults) => string;
}

/** How the steps and barriers of a run ended. */
export interface GraphResult {
  readonly steps: StepResults;
  /** Barriers that did not open, by id. */
  readonly barriers: ReadonlyMap<string, ErrorReport>;
}

/** Runs steps the moment what they depend on is over, at most `maxConcurrency` at a time. */
export class StepGraph {
  readonly #options: StepGraphOptions;
  readonly #queue: ReadyQueue;
  readonly #steps: ReadonlyMap<string, StepSpec>;
  readonly #results = new Map<string, StepResult>();
  readonly #barriers: BarrierWatch;
  readonly #running = new Map<string, Scope<StepResult>>();
  /** Steps that are not over, those that wait for a person included. */
  #busy = 0;
  #aborted: string | undefined;

  constructor(options: StepGraphOptions) {
    const { definition, context, dependsOn } = options;
    this.#options = options;
    this.#steps = new Map(definition.steps.map((step) => [step.id, step]));
    this.#barriers = new BarrierWatch(context, definition.barriers);
    const barriers = definition.barriers.map(({ id }) => ({ id, dependsOn: [], isExternal: true }));
    const steps = definition.steps.map((step) => ({ id: step.id, dependsOn: dependsOn(step) }));
    this.#queue = new ReadyQueue([...barriers, ...steps], definition.maxConcurrency);
  }

  /** Runs everything to its end. Rejects only when the run is cancelled. */
  async run(): Promise<GraphResult> {
    const barriers = this.#barriers.start((id) => {
      this.#queue.finish(id);
      return this.#launch();
    });
    await Promise.all([this.#launch(), barriers]);
    return { steps: this.#results, barriers: this.#barriers.failures };
  }

  async #launch(): Promise<void> {
    const launched = this.#queue.take().map((id) => this.#runStep(id));
    if (this.#busy === 0) await this.#checkBarriers();
    await Promise.all(launched);
  }

  /** Only steps can give signals: once none works, a barrier without a timeout would hold the run for ever. */
  async #checkBarriers(): Promise<void> {
    while (this.#busy === 0 && this.#barriers.isHeld) {
      const { heard } = this.#barriers;
      // Signals that were given stand before this operation in the journal, so they are heard before it ends.
      await this.#options.context.step("hear last signals", () => null);
      if (this.#busy === 0 && this.#barriers.heard === heard) this.#barriers.nobodyWorks();
    }
  }

  async #runStep(id: string): Promise<void> {
    const step = this.#steps.get(id);
    if (step === undefined) return;
    this.#busy += 1;
    const result = await this.#outcomeOf(step);
    this.#results.set(id, result);
    this.#busy -= 1;
    this.#barriers.stepOver(id, lets(result));
    this.#queue.finish(id);
    await this.#launch();
  }

  #outcomeOf(step: StepSpec): StepResult | Promise<StepResult> {
    const failed = this.#options.dependsOn(step).filter((id) => this.#hasFailed(id));
    if (step.runs === "always") return this.#execute(step, 1);
    if (step.runs === "on-failure")
      return failed.length === 0 ? this.#skip(step) : this.#execute(step, 1);
    const blockers = failed.filter((id) => this.#blocks(id));
    if (blockers.length > 0) return this.#block(step, blockers);
    if (this.#aborted !== undefined) return this.#neverStarted(step, this.#aborted);
    return this.#execute(step, 1);
  }

  #hasFailed(id: string): boolean {
    if (this.#barriers.failures.has(id)) return true;
    return this.#steps.has(id) && !lets(this.#results.get(id));
  }

  #blocks(id: string): boolean {
    return this.#barriers.failures.has(id) || this.#options.goesOnAfter?.(id) !== true;
  }

  #skip(step: StepSpec): StepResult {
    const { context, definition } = this.#options;
    const reason = "runs: on-failure, and nothing before it failed";
    context.note({ type: "step-skipped", ...placeOf(definition, step.id, 1), reason });
    return { status: "skipped", reason };
  }

  async #execute(step: StepSpec, execution: number): Promise<StepResult> {
    const { context, definition, team, convention } = this.#options;
    const scope = context.scope(step.id, (branch) =>
      executePatternStep({ context: branch, definition, results: this.#results }, team, {
        step,
        execution,
        convention: (facts) => convention(step, facts, this.#results),
      }),
    );
    this.#running.set(step.id, scope);
    const result = await this.#resultOf(scope);
    this.#running.delete(step.id);
    return result.status === "failed" ? this.#afterFailure(step, execution, result) : result;
  }

  async #resultOf(scope: Scope<StepResult>): Promise<StepResult> {
    try {
      return await scope.result;
    } catch (error) {
      // A sibling's failure has cancelled this step; a cancelled run ends here and now.
      if (this.#aborted === undefined) throw error;
      return { status: "cancelled", reason: this.#aborted };
    }
  }

  async #afterFailure(step: StepSpec, execution: number, result: FailedStep): Promise<StepResult> {
    const { context, definition } = this.#options;
    if (definition.onFailure === "pause") {
      const message = `step "${step.id}" failed: ${result.error.message}`;
      const decision = await context.approval({ message, step: step.id, purpose: "pause" });
      return decision.approved ? this.#execute(step, execution + 1) : result;
    }
    if (definition.onFailure === "abort") this.#abort(`step "${step.id}" failed`);
    return result;
  }

  #abort(reason: string): void {
    this.#aborted ??= reason;
    // What runs in any case cleans up.
    for (const [id, scope] of this.#running)
      if (this.#steps.get(id)?.runs === undefined) scope.cancel(reason);
    this.#barriers.cancel(reason);
  }

  #block(step: StepSpec, by: readonly string[]): StepResult {
    const { context, definition } = this.#options;
    context.note({ type: "step-blocked", ...placeOf(definition, step.id, 1), by });
    return { status: "blocked", by };
  }

  #neverStarted(step: StepSpec, reason: string): StepResult {
    const { context, definition } = this.#options;
    context.note({ type: "step-cancelled", ...placeOf(definition, step.id, 1), reason });
    return { status: "cancelled", reason };
  }
}

type FailedStep = Extract<StepResult, { readonly status: "failed" }>;
