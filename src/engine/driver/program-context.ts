import { z } from "zod";
import type { AgentHandle, AgentSpec, AgentStatus } from "../../contracts/agent.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import type { NoteData } from "../../contracts/events/note-events.ts";
import type { ReusableStep, ReuseKey, RevisedStep } from "../../contracts/events/reuse.ts";
import type { PostReceipt, SystemDraft } from "../../contracts/message.ts";
import type {
  ApprovalDecision,
  ApprovalSpec,
  ChildResult,
  ChildSpec,
  Context,
  PersonAnswer,
  QuestionSpec,
  RunFacts,
  Scope,
  ScopeOptions,
  SpawnOptions,
  StepCall,
  StepOptions,
  TurnOptions,
  TurnResult,
} from "../../contracts/ports/context.ts";
import type { Selector, Subscription } from "../../contracts/selector.ts";
import type { StepAddress } from "../../contracts/step.ts";
import { type TrajectoryRecord, trajectoryRecordSchema } from "../../contracts/trajectory.ts";
import { freeShortId } from "../../foundation/ids.ts";
import { type Json, toJson } from "../../foundation/json.ts";
import { type Random, seededRandom } from "../../foundation/random.ts";
import { recordInvalid, scopeTimedOut } from "../errors.ts";
import {
  approvalOutcome,
  childOutcome,
  nextOutcome,
  postOutcome,
  questionOutcome,
  spawnOutcome,
  statusOutcome,
  turnOutcome,
} from "../operation-outcomes.ts";
import type { OperationRunner } from "../operation-runner.ts";
import { type StepPorts, stepHandler } from "../operations/step-operation.ts";
import type { RunJournal } from "../run-journal.ts";
import type { ScopeNode } from "../scope.ts";

/** What contexts need of the run that they belong to. */
export interface ContextPorts {
  readonly facts: RunFacts;
  readonly journal: RunJournal;
  readonly runner: OperationRunner;
  /** Source of random numbers and ids, as of the last delivered event. */
  seed(): string;
  readonly step: StepPorts;
  /** Ids that the program was given; replay gives the same in the same order. */
  readonly ids: Set<string>;
  reusable(key: ReuseKey): ReusableStep | undefined;
  revised(step: Pick<StepAddress, "path" | "execution">): RevisedStep | undefined;
  note(note: string, data: NoteData): void;
  scopeOver(path: string): void;
  runPattern(context: Context, name: string, options: Json): Promise<Json>;
}

/** The context of one scope: operations carry its path, numbers and ids derive from it. */
export function createContext(scope: ScopeNode, ports: ContextPorts): Context {
  return new ProgramContext(scope, ports);
}

// A class because a run may have many thousand scopes: an object of functions would cost each of them 25.
class ProgramContext implements Context {
  readonly #scope: ScopeNode;
  readonly #ports: ContextPorts;
  #random: { readonly seed: string; readonly next: Random } | undefined;

  constructor(scope: ScopeNode, ports: ContextPorts) {
    this.#scope = scope;
    this.#ports = ports;
  }

  get run(): RunFacts {
    return this.#ports.facts;
  }

  get path(): string {
    return this.#scope.path;
  }

  step<Result extends Json>(
    name: string,
    run: (call: StepCall) => Promise<Result> | Result,
    options: StepOptions = {},
  ): Promise<Result> {
    return askStep(this.#scope, this.#ports, { kind: "step", name, run, options });
  }

  watch<Result extends Json>(
    name: string,
    run: (call: StepCall) => Promise<Result>,
  ): Promise<Result> {
    return askStep(this.#scope, this.#ports, { kind: "watch", name, run, options: {} });
  }

  spawn(spec: AgentSpec, options: SpawnOptions = {}): Promise<AgentHandle> {
    return this.#ask("spawn", { spec, ...options }, (outcome) => spawnOutcome.parse(outcome));
  }

  turn(agent: string, prompt: string, options: TurnOptions = {}): Promise<TurnResult> {
    const input = { agent, prompt, ...options };
    return this.#ask("turn", input, (outcome) => turnOutcome.parse(outcome));
  }

  interrupt(agent: string): Promise<AgentStatus> {
    return this.#ask("interrupt", { agent }, (outcome) => statusOutcome.parse(outcome));
  }

  release(agent: string, reason: string): Promise<AgentStatus> {
    return this.#ask("release", { agent, reason }, (outcome) => statusOutcome.parse(outcome));
  }

  post(message: SystemDraft): Promise<PostReceipt> {
    return this.#ask("post", message, (outcome) => postOutcome.parse(outcome));
  }

  subscribe(selector: Selector): Subscription {
    return new MovingSubscription(selector, this.#ports.runner.lastDelivered.seq);
  }

  next(
    subscription: Subscription,
    options: { readonly timeoutMs?: number } = {},
  ): Promise<JournalEvent | undefined> {
    const { selector, cursor: after } = subscription;
    return this.#ask("next", { selector, after, ...options }, (outcome) => {
      const found = nextOutcome.parse(outcome);
      if (found === null) return undefined;
      Object.assign(subscription, { cursor: found.seq });
      return this.#ports.journal.facts.at(found.seq);
    });
  }

  answer(
    request: string,
    value: Json,
    options: { readonly isError?: boolean } = {},
  ): Promise<void> {
    const { isError = false } = options;
    return this.#ask("answer", { request, value, isError }, toNothing);
  }

  woken(agent: string): Promise<void> {
    return this.#ask("woken", { agent }, toNothing);
  }

  quiescent(options: {
    readonly quietMs: number;
    readonly agents?: readonly string[];
  }): Promise<void> {
    return this.#ask("quiescent", options, toNothing);
  }

  sleep(durationMs: number): Promise<void> {
    return this.#ask("sleep", { durationMs }, toNothing);
  }

  approval(spec: ApprovalSpec): Promise<ApprovalDecision> {
    return this.#ask("approval", spec, (outcome) => approvalOutcome.parse(outcome));
  }

  question(spec: QuestionSpec): Promise<PersonAnswer> {
    return this.#ask("question", spec, (outcome) => questionOutcome.parse(outcome));
  }

  child(spec: ChildSpec): Promise<ChildResult> {
    return this.#ask("child", spec, (outcome) => childOutcome.parse(outcome));
  }

  scope<Result>(
    name: string,
    run: (context: Context) => Promise<Result>,
    options: ScopeOptions = {},
  ): Scope<Result> {
    return openScope(this.#scope, this.#ports, { name, run, options });
  }

  reusable(key: ReuseKey): ReusableStep | undefined {
    return this.#ports.reusable(key);
  }

  revised(step: Pick<StepAddress, "path" | "execution">): RevisedStep | undefined {
    return this.#ports.revised(step);
  }

  now(): number {
    return this.#ports.runner.lastDelivered.at;
  }

  random(): number {
    const seed = this.#ports.seed();
    if (this.#random?.seed !== seed)
      this.#random = { seed, next: seededRandom(`${seed}:${this.#scope.path}`) };
    return this.#random.next();
  }

  newId(prefix: string): string {
    const { ids } = this.#ports;
    const id = freeShortId(
      prefix,
      () => this.random(),
      (drawn) => ids.has(drawn),
    );
    ids.add(id);
    return id;
  }

  note(data: NoteData): void {
    this.#ports.note(this.#scope.nextId("note"), data);
  }

  log(level: "info" | "warning" | "error", text: string): void {
    this.note({ type: "log", level, text });
  }

  record(given: TrajectoryRecord): void {
    // Patterns may be code of anybody, and the trajectory is read where nobody checks it again.
    const { data: record, error } = trajectoryRecordSchema.safeParse(given);
    if (record === undefined) throw recordInvalid({ problem: z.prettifyError(error) });
    this.note({ type: "record-added", by: this.run.workflow, record });
  }

  pattern(name: string, options: Json): Promise<Json> {
    return this.scope(name, (context) => this.#ports.runPattern(context, name, options)).result;
  }

  #ask<Value>(kind: string, asked: unknown, read: (outcome: Json) => Value): Promise<Value> {
    try {
      // What is asked is compared in replay with what was recorded, so it must be what JSON makes of it.
      const input = toJson(asked, `the input of ${kind}`);
      return this.#ports.runner.ask(this.#scope, { kind, input }, read);
    } catch (error) {
      return unobserved(Promise.reject(error));
    }
  }
}

/** A subscription whose cursor moves as facts are handed out. */
class MovingSubscription implements Subscription {
  readonly selector: Selector;
  cursor: number;

  constructor(selector: Selector, cursor: number) {
    this.selector = selector;
    this.cursor = cursor;
  }
}

function toNothing(): void {}

function askStep<Result extends Json>(
  scope: ScopeNode,
  ports: ContextPorts,
  task: {
    readonly kind: "step" | "watch";
    readonly name: string;
    readonly run: (call: StepCall) => Promise<Result> | Result;
    readonly options: StepOptions;
  },
): Promise<Result> {
  const handler = stepHandler(task, ports.step);
  const input = { name: task.name.toWellFormed() };
  const { given } = task.options;
  return ports.runner.ask(scope, { kind: task.kind, input, handler, given }, (outcome) => {
    assertRecorded<Result>(outcome);
    return outcome;
  });
}

/** The outcome of a step is what its own function returned, now or in an earlier process. */
function assertRecorded<Result extends Json>(_outcome: Json): asserts _outcome is Result {}

/** Whoever awaits a promise sees its error; one that nobody awaits must not end the process. */
function unobserved<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}

function openScope<Result>(
  parent: ScopeNode,
  ports: ContextPorts,
  branch: {
    readonly name: string;
    readonly run: (context: Context) => Promise<Result>;
    readonly options: ScopeOptions;
  },
): Scope<Result> {
  const scope = parent.child(branch.name, branch.options.shielded ?? false);
  const { timeoutMs } = branch.options;
  let passedMs: number | undefined;
  const finish = async () => {
    if (timeoutMs !== undefined) {
      const input = { durationMs: timeoutMs };
      const fired = ports.runner.ask(scope, { kind: "deadline", input }, toNothing);
      const cancelScope = () => {
        passedMs = timeoutMs;
        scope.cancel(`"${scope.path}" reached its deadline`);
      };
      // The scope's own end cancels the deadline; that is no error of anybody's.
      fired.then(cancelScope, () => {});
    }
    try {
      return await branch.run(createContext(scope, ports));
    } catch (error) {
      if (passedMs !== undefined)
        throw scopeTimedOut({ scope: scope.path, timeoutMs: passedMs }, { cause: error });
      throw error;
    } finally {
      scope.close();
      ports.scopeOver(scope.path);
    }
  };
  return { result: unobserved(finish()), cancel: (reason) => scope.cancel(reason) };
}
