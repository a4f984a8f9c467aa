import type { PatternDefinition } from "../../contracts/definition.ts";
import type { Context, Scope } from "../../contracts/ports/context.ts";
import type { StepSpec } from "../../contracts/step.ts";
import type { ErrorReport } from "../../foundation/errors.ts";
import { present } from "../../foundation/present.ts";
import type { ConventionFacts } from "../patterns/conventions/convention-facts.ts";
import { BarrierWatch } from "./barrier.ts";
import { executePatternStep, placeOf } from "./execute-pattern-step.ts";
import type { Branch } from "./pruner.ts";
import { type QueueGroup, ReadyQueue } from "./ready-queue.ts";
import {
  agentsOf,
  gatherInstances,
  lets,
  type StepResult,
  type StepResults,
} from "./step-results.ts";
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
  /** What stands around an execution of a step: whether and by whom it is carried out. Defaults to nothing. */
  readonly around?: (
    branch: Context,
    step: StepSpec,
    execute: (step: StepSpec) => Promise<StepResult>,
  ) => Promise<StepResult>;
}

/** How the steps and barriers of a run ended. */
export interface GraphResult {
  readonly steps: StepResults;
  /** Barriers that did not open, by id. */
  readonly barriers: ReadonlyMap<string, ErrorReport>;
  /** Steps that were cut off by a pruner, and those that depend on nothing else. */
  readonly pruned: readonly string[];
}

/** Runs steps the moment what they depend on is over, at most `maxConcurrency` at a time. */
export class StepGraph {
  readonly #options: StepGraphOptions;
  readonly #queue: ReadyQueue;
  readonly #steps: ReadonlyMap<string, StepSpec>;
  readonly #results = new Map<string, StepResult>();
  readonly #barriers: BarrierWatch;
  readonly #running = new Map<string, Running>();
  /** Why steps were cut off by a pruner, by their ids. */
  readonly #pruned = new Map<string, string>();
  #begun = Promise.withResolvers<void>();
  /** Steps that are not over, those that wait for a person included. */
  #busy = 0;
  #aborted: string | undefined;
  /** Why the instances of a step with a matrix do not go on, by its id. */
  readonly #stopped = new Map<string, string>();

  constructor(options: StepGraphOptions) {
    const { definition, context, dependsOn } = options;
    this.#options = options;
    this.#steps = new Map(definition.steps.map((step) => [step.id, step]));
    this.#barriers = new BarrierWatch(context, definition.barriers);
    const barriers = definition.barriers.map(({ id }) => ({ id, dependsOn: [], isExternal: true }));
    const steps = definition.steps.map((step) => ({
      id: step.id,
      dependsOn: dependsOn(step),
      ...present({ group: this.#groupOf(step) }),
    }));
    this.#queue = new ReadyQueue([...barriers, ...steps], definition.maxConcurrency);
  }

  /** Steps in the order in which they were over. */
  get results(): StepResults {
    return this.#results;
  }

  /** Runs everything to its end. Rejects only when the run is cancelled. */
  async run(): Promise<GraphResult> {
    const barriers = this.#barriers.start((id) => {
      this.#queue.finish(id);
      return this.#launch();
    });
    await Promise.all([this.#launch(), barriers]);
    this.#assertAllOver();
    const pruned = [...this.#pruned.keys()];
    return { steps: this.#results, barriers: this.#barriers.failures, pruned };
  }

  /** A step that was never reached has done nothing, so the whole is not done: files that could have one are refused. */
  #assertAllOver(): void {
    const left = [...this.#steps.keys()].filter((id) => !this.#results.has(id));
    if (left.length > 0) throw new Error(`steps wait for each other: ${left.join(", ")}`);
  }

  /** Steps under way that an agent does; what runs in any case is none. */
  get branches(): readonly Branch[] {
    return [...this.#running.values()].flatMap(({ step, startedAt }) => {
      const { agent } = step;
      if (agent === undefined || step.runs !== undefined || this.#pruned.has(step.id)) return [];
      return [{ step: { ...step, agent }, startedAt }];
    });
  }

  /** Resolves as soon as a step is under way that an agent does. */
  async begun(): Promise<void> {
    while (this.branches.length === 0) await this.#begun.promise;
  }

  /** Cuts a step off; those that depend on it and others go on without it. */
  prune(id: string, reason: string): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    this.#pruned.set(id, reason);
    running.scope.cancel(reason);
  }

  /** Instances of a matrix may have a limit of their own. */
  #groupOf({ instance }: StepSpec): QueueGroup | undefined {
    if (instance === undefined) return undefined;
    const most = this.#steps.get(instance.of)?.gathers?.maxConcurrency;
    return most === undefined ? undefined : { id: instance.of, most };
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
    if (this.#options.team.reflections !== undefined) await this.#reflect();
    this.#results.set(id, result);
    this.#busy -= 1;
    this.#barriers.stepOver(id, lets(result));
    this.#queue.finish(id);
    await this.#launch();
  }

  /** What follows may be another part of the work than it was (PRM-reflection). */
  async #reflect(): Promise<void> {
    const { context, team } = this.#options;
    const { reflections } = team;
    const isLast = this.#results.size + 1 >= this.#steps.size;
    if (!isLast && this.#aborted === undefined) await reflections?.look(context);
  }

  #outcomeOf(step: StepSpec): StepResult | Promise<StepResult> {
    if (this.#isCutOff(step)) {
      const reason = "pruned with what it depends on";
      this.#pruned.set(step.id, reason);
      return this.#skip(step, reason);
    }
    if (step.gathers !== undefined) return this.#gather(step);
    const failed = this.#options.dependsOn(step).filter((id) => this.#hasFailed(id));
    if (step.runs === "always") return this.#execute(step, 1);
    if (step.runs === "on-failure")
      return failed.length === 0
        ? this.#skip(step, "runs: on-failure, and nothing before it failed")
        : this.#execute(step, 1);
    const blockers = failed.filter((id) => this.#blocks(id));
    if (blockers.length > 0) return this.#block(step, blockers);
    const stopped = this.#stopReason(step);
    if (stopped !== undefined) return this.#neverStarted(step, stopped);
    return this.#execute(step, 1);
  }

  /** Why a step does not go on, if something has stopped it. */
  #stopReason({ instance }: StepSpec): string | undefined {
    return this.#aborted ?? (instance && this.#stopped.get(instance.of));
  }

  /** How a step with a matrix ended: its instances have done all of its work. */
  async #gather(step: StepSpec): Promise<StepResult> {
    const { context, definition } = this.#options;
    const place = placeOf(definition, step.id, 1);
    const parts = { context, definition, results: this.#results, step, place };
    const result = await gatherInstances(parts);
    if (result === undefined) {
      const by = step.dependsOn.filter((id) => this.#hasFailed(id));
      const reason = this.#aborted;
      return reason === undefined ? this.#block(step, by) : this.#neverStarted(step, reason);
    }
    if (result.status === "failed" && definition.onFailure === "abort")
      this.#abort(`step "${step.id}" failed`);
    return result;
  }

  #hasFailed(id: string): boolean {
    if (this.#barriers.failures.has(id)) return true;
    return this.#steps.has(id) && !lets(this.#results.get(id));
  }

  #blocks(id: string): boolean {
    return this.#barriers.failures.has(id) || this.#options.goesOnAfter?.(id) !== true;
  }

  /** A step whose work would build on nothing but what was cut off. */
  #isCutOff(step: StepSpec): boolean {
    const before = this.#options.dependsOn(step).filter((id) => this.#steps.has(id));
    if (before.length === 0 || step.runs !== undefined) return false;
    return before.every((id) => this.#pruned.has(id));
  }

  #skip(step: StepSpec, reason: string): StepResult {
    const { context, definition } = this.#options;
    context.note({ type: "step-skipped", ...placeOf(definition, step.id, 1), reason });
    return { status: "skipped", reason };
  }

  async #execute(step: StepSpec, execution: number): Promise<StepResult> {
    const { context, definition, team, convention, around } = this.#options;
    const scope = context.scope(step.id, (branch) => {
      const sources = { context: branch, definition, results: this.#results };
      const execute = (chosen: StepSpec) =>
        executePatternStep({ ...sources, ...present({ matrix: step.instance?.matrix }) }, team, {
          step: chosen,
          execution,
          builtOn: this.#agentsBefore(step),
          convention: (facts) => convention(chosen, facts, this.#results),
        });
      return around === undefined ? execute(step) : around(branch, step, execute);
    });
    this.#running.set(step.id, { step, scope, startedAt: context.now() });
    this.#begun.resolve();
    this.#begun = Promise.withResolvers();
    const result = await this.#resultOf(step, scope);
    this.#running.delete(step.id);
    return result.status === "failed" ? this.#afterFailure(step, execution, result) : result;
  }

  /** Agents of all that a step waits for, as far as it has begun. */
  #agentsBefore(step: StepSpec): readonly string[] {
    const before = new Set<string>();
    const pending = [...this.#options.dependsOn(step)];
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      const spec = this.#steps.get(id);
      if (spec === undefined || before.has(id)) continue;
      before.add(id);
      pending.push(...this.#options.dependsOn(spec));
    }
    return agentsOf([...this.#results].filter(([id]) => before.has(id)));
  }

  async #resultOf(step: StepSpec, scope: Scope<StepResult>): Promise<StepResult> {
    try {
      const result = await scope.result;
      // It was over before it could be cut off.
      this.#pruned.delete(step.id);
      return result;
    } catch (error) {
      const pruned = this.#pruned.get(step.id);
      if (pruned !== undefined) return { status: "skipped", reason: pruned };
      // A sibling's failure has cancelled this step; a cancelled run ends here and now.
      const reason = this.#stopReason(step);
      if (reason === undefined) throw error;
      return { status: "cancelled", reason };
    }
  }

  async #afterFailure(step: StepSpec, execution: number, result: FailedStep): Promise<StepResult> {
    const { context, definition } = this.#options;
    if (definition.onFailure === "pause") {
      const message = `step "${step.id}" failed: ${result.error.message}`;
      const decision = await context.approval({ message, step: step.id, purpose: "pause" });
      return decision.approved ? this.#execute(step, execution + 1) : result;
    }
    // What a failed instance means for the run, its step says once all of them are over.
    if (step.instance !== undefined) this.#stopOthers(step.instance.of, step.id);
    else if (definition.onFailure === "abort") this.#abort(`step "${step.id}" failed`);
    return result;
  }

  #stopOthers(of: string, failed: string): void {
    if (this.#steps.get(of)?.gathers?.failFast !== true) return;
    const reason = `failFast: instance "${failed}" failed`;
    if (!this.#stopped.has(of)) this.#stopped.set(of, reason);
    for (const { step, scope } of this.#running.values())
      if (step.instance?.of === of) scope.cancel(reason);
  }

  #abort(reason: string): void {
    this.#aborted ??= reason;
    // What runs in any case cleans up.
    for (const { step, scope } of this.#running.values())
      if (step.runs === undefined) scope.cancel(reason);
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

interface Running {
  readonly step: StepSpec;
  readonly scope: Scope<StepResult>;
  /** In ms since the epoch. */
  readonly startedAt: number;
}

type FailedStep = Extract<StepResult, { readonly status: "failed" }>;
