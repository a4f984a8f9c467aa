import type { OperationHandler, OperationOutcome, StopRequest } from "../contracts/operation.ts";
import { isAsking, isStill, isTurnAsking } from "../fold/waiting.ts";
import type { Json } from "../foundation/json.ts";
import { toShortageError } from "../foundation/shortage.ts";
import { toDiskError } from "../host/system/disk-error.ts";
import { DeliveryQueue } from "./delivery-queue.ts";
import { cancelled, crashLoop, nondeterminism, operationUnknown } from "./errors.ts";
import {
  type Asker,
  LiveOperation,
  type OperationPorts,
  type OperationQuestion,
} from "./open-operation.ts";
import { toStoredError } from "./operation-outcomes.ts";
import type { Dispatcher } from "./ports.ts";
import type { Delivery, RecordedOperation } from "./recording.ts";
import type { RunJournal } from "./run-journal.ts";
import { RunningEffects } from "./running-effects.ts";
import type { ScopeNode } from "./scope.ts";

// Owns the open operations of one run: from the program's question to the delivered outcome.
// I1: a `world` effect starts in `whenDurable`; a `journal` effect is events of the same group; a `guarded` one begins
//     with such events and waits itself before it does anything else.
// I2: an operation with a recorded outcome gets that outcome and is never started.
// I3: outcomes reach the program as they were appended, through the delivery queue, live and in replay alike.
// I7: `ended()` resolves when every effect has ended, also those of cancelled operations.

/** Who hears how far the program of a run has come. */
export interface OperationWatcher {
  /** A request to cancel the run has its turn among the outcomes. */
  cancellationDelivered(): void;
  /** The program has taken in all that was recorded; open operations start again after this. */
  replayed(): void;
  /** The run's process would die again: called before `replayed`, after which nothing may start. */
  looping(error: Error): void;
  /** The program and the journal do not fit, or nothing can be written; the run stops. */
  failed(error: unknown): void;
}

interface OperationRunnerOptions {
  readonly journal: RunJournal;
  readonly dispatcher: Dispatcher;
  readonly watcher: OperationWatcher;
  /** Sees what the code of operations goes by, as the program asks for them. */
  readonly onGiven?: ((op: string, given: () => Json) => void) | undefined;
}

const MOST_OWNER_DEATHS = 3;

/** Carries out what a program asks for, once each. */
export class OperationRunner {
  readonly #options: OperationRunnerOptions;
  readonly #ports: OperationPorts;
  readonly #handlers = new Map<string, OperationHandler>();
  readonly #deliveries: DeliveryQueue;
  /** Asked and not yet delivered. */
  readonly #open = new Map<string, LiveOperation>();
  readonly #effects = new RunningEffects();
  #mode: "replaying" | "live" | "stopped" = "replaying";
  #recordedLeft = 0;
  #last: { readonly seq: number; readonly at: number } = { seq: 0, at: 0 };

  constructor(options: OperationRunnerOptions) {
    this.#options = options;
    this.#deliveries = new DeliveryQueue((delivery) => this.#deliver(delivery));
    this.#ports = {
      journal: options.journal,
      settle: (operation, outcome) => this.#settle(operation, outcome),
    };
  }

  /** Seq and time of the last delivered outcome. */
  get lastDelivered(): { readonly seq: number; readonly at: number } {
    return this.#last;
  }

  get hasDeliveries(): boolean {
    return this.#deliveries.isBusy;
  }

  /** Whether nothing that the program waits for can come any more. */
  get isIdle(): boolean {
    return this.#mode === "live" && this.#open.size === 0 && !this.#deliveries.isBusy;
  }

  register(handler: OperationHandler): void {
    this.#handlers.set(handler.kind, handler);
  }

  /** Whether nothing works any more but what waits for people, children included. */
  get isStill(): boolean {
    return isStill(
      this.#options.journal.state,
      ({ kind, op }) => this.#handlers.get(kind)?.isStill?.(op) ?? false,
    );
  }

  /** Sets what counts as the last delivered outcome before there is one. */
  begin(at: { readonly seq: number; readonly at: number }): void {
    this.#last = at;
  }

  /** Starts to hand the recorded outcomes to the program, which has just been called. */
  replay(): void {
    const { deliveries } = this.#options.journal.recording;
    this.#recordedLeft = deliveries.length;
    for (const delivery of deliveries) this.#deliveries.push(delivery);
    if (deliveries.length === 0) setImmediate(() => this.#goLive());
  }

  /** Takes one question of the program; `read` turns the outcome into what the program sees. */
  ask<Value>(
    scope: ScopeNode,
    question: OperationQuestion,
    read: (outcome: Json) => Value,
  ): Promise<Value> {
    const answer = new Promise<Value>((resolve, reject) => {
      this.#ask(scope, question, { resolve: (outcome) => resolve(read(outcome)), reject });
    });
    // Whoever awaits the answer sees its error; an operation that nobody awaits must not end the process.
    answer.catch(ignore);
    return answer;
  }

  /** Hands an event that was just appended to the program, after all that was appended before it. */
  deliver(delivery: Delivery): void {
    this.#deliveries.push(delivery);
  }

  /** Stops delivering and starting, and asks every effect to end. */
  stop(request: StopRequest): void {
    this.#mode = "stopped";
    this.#deliveries.stop();
    this.#effects.stop(request);
  }

  /** Resolves when no effect runs any more. */
  ended(): Promise<void> {
    return this.#effects.ended();
  }

  #ask(scope: ScopeNode, question: OperationQuestion, asker: Asker): void {
    // The answer of a run that is let go stays open: its program goes no further.
    if (this.#mode === "stopped") return;
    const { status } = scope;
    if (status.status === "cancelled") {
      asker.reject(cancelled({ reason: status.reason }));
      return;
    }
    try {
      const op = scope.nextId(question.kind);
      if (question.given !== undefined) this.#options.onGiven?.(op, question.given);
      const recorded = this.#options.journal.recording.take(op, question.kind, question.input);
      const operation = this.#enter(scope, { op, question, recorded, asker });
      if (this.#mode === "live") this.#begin(operation);
    } catch (error) {
      this.#options.watcher.failed(error);
    }
  }

  #enter(
    scope: ScopeNode,
    asked: {
      readonly op: string;
      readonly question: OperationQuestion;
      readonly recorded: RecordedOperation | undefined;
      readonly asker: Asker;
    },
  ): LiveOperation {
    const { op, question, recorded } = asked;
    const { kind, input } = question;
    const { journal } = this.#options;
    const operation = new LiveOperation(this.#ports, {
      ...asked,
      scope,
      handler: question.handler ?? this.#handlers.get(kind),
      scheduledAt:
        recorded?.scheduledAt ??
        journal.append({ type: "operation-scheduled", op, kind, input }).at,
      scheduledAtRunningMs: recorded?.scheduledAtRunningMs ?? journal.runningMs,
    });
    this.#open.set(op, operation);
    return operation;
  }

  #goLive(): void {
    if (this.#mode !== "replaying") return;
    try {
      this.#options.journal.recording.assertAllAsked();
    } catch (error) {
      this.#options.watcher.failed(error);
      return;
    }
    const loop = this.#findLoop();
    if (loop !== undefined) this.#options.watcher.looping(loop);
    this.#mode = "live";
    this.#options.watcher.replayed();
    for (const operation of [...this.#open.values()]) {
      if (!operation.isSettled && this.#isLive()) this.#begin(operation);
    }
  }

  #isLive(): boolean {
    return this.#mode === "live";
  }

  #begin(operation: LiveOperation): void {
    const { handler, recorded, op, kind } = operation;
    if (handler === undefined) this.#fail(operation, operationUnknown({ op, kind }));
    else if (handler.effect === "journal") this.#execute(operation, handler);
    else if (recorded !== undefined) this.#beginAgain(operation, handler);
    else if (handler.effect === "guarded") this.#execute(operation, handler);
    else this.#options.journal.whenDurable(() => this.#execute(operation, handler));
  }

  #beginAgain(operation: LiveOperation, handler: OperationHandler): void {
    const { journal } = this.#options;
    operation.journalAttempt(this.#hasOwnerDiedOf(operation.op) ? "owner-died" : "suspended");
    journal.whenDurable(() => this.#execute(operation, handler));
  }

  /** What waits for a person is not what its owners die of. */
  #hasOwnerDiedOf(op: string): boolean {
    const { journal } = this.#options;
    return journal.hasOwnerDied && !isAsking(journal.state, op);
  }

  /** The first operation or turn that three owners in a row died of without progress, if there is one. */
  #findLoop(): Error | undefined {
    const { journal } = this.#options;
    if (!journal.hasOwnerDied) return undefined;
    const { run } = journal;
    for (const { op, handler, recorded, isSettled } of this.#open.values()) {
      const isWork = handler?.effect !== "journal" && (handler?.waitsFor ?? "work") === "work";
      if (recorded === undefined || isSettled || !isWork || !this.#hasOwnerDiedOf(op)) continue;
      const deaths = recorded.ownerDeaths + 1;
      if (deaths >= MOST_OWNER_DEATHS) return crashLoop({ run, what: `operation "${op}"`, deaths });
    }
    for (const turn of journal.recording.openTurns) {
      // Those of operations count with them.
      if (turn.ops.length > 0 || isTurnAsking(journal.state, turn)) continue;
      const deaths = turn.ownerDeaths + 1;
      const what = `turn ${turn.turn} of agent "${turn.agent}"`;
      if (deaths >= MOST_OWNER_DEATHS) return crashLoop({ run, what, deaths });
    }
    return undefined;
  }

  #execute(operation: LiveOperation, handler: OperationHandler): void {
    if (operation.isSettled || !this.#isLive()) return;
    try {
      const result = this.#options.dispatcher.dispatch(handler, operation.input, operation);
      if (result instanceof Promise) this.#follow(operation, result);
      else this.#settle(operation, { status: "ok", value: result });
    } catch (error) {
      this.#fail(operation, error);
    }
  }

  #follow(operation: LiveOperation, result: Promise<Json>): void {
    this.#effects.add(operation);
    // Both ends are handled here; neither handler throws.
    void result.then(
      (value) => {
        this.#settle(operation, { status: "ok", value });
        this.#effects.delete(operation);
      },
      (error: unknown) => {
        // A stopped effect settles nothing: the operation stays open for the next owner.
        if (this.#mode !== "stopped") this.#fail(operation, error);
        this.#effects.delete(operation);
      },
    );
  }

  #fail(operation: LiveOperation, error: unknown): void {
    // The operation stays open, as after a journal that cannot be written: it has done nothing wrong.
    const diskError = toDiskError(error);
    if (diskError !== undefined) this.#options.watcher.failed(diskError);
    else
      this.#settle(operation, {
        status: "error",
        error: toStoredError(toShortageError(error) ?? error),
      });
  }

  // Appending is what makes the outcome reach the program: see `deliver`.
  #settle(operation: LiveOperation, outcome: OperationOutcome): void {
    const isCancelled = outcome.status === "cancelled";
    // The program of a run that was let go may still run to its next question; it decides nothing any more.
    if (operation.isSettled || (isCancelled && this.#mode === "stopped")) return;
    operation.isSettled = true;
    const { journal } = this.#options;
    journal.append({ type: "operation-settled", op: operation.op, outcome });
    if (!isCancelled) return;
    const { reason } = outcome;
    journal.whenDurable(() => operation.stop({ kind: "cancelled", reason }));
  }

  #deliver(delivery: Delivery): void {
    this.#last = delivery;
    if (delivery.type === "cancellation-requested") this.#options.watcher.cancellationDelivered();
    else this.#deliverOutcome(delivery.op, delivery.outcome);
    if (this.#recordedLeft === 0) return;
    this.#recordedLeft -= 1;
    if (this.#recordedLeft === 0) setImmediate(() => this.#goLive());
  }

  #deliverOutcome(op: string, outcome: OperationOutcome): void {
    const operation = this.#open.get(op);
    if (operation === undefined) {
      const recorded = `its ${outcome.status} outcome`;
      this.#options.watcher.failed(nondeterminism({ op, recorded, asked: "nothing yet" }));
      return;
    }
    this.#open.delete(op);
    operation.deliver(outcome);
  }
}

function ignore(): void {}
