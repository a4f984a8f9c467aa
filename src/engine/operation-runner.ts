import type { EventData, JournalEvent } from "../contracts/event.ts";
import type { OperationHandler, OperationOutcome, StopRequest } from "../contracts/operation.ts";
import { fromErrorReport, toErrorReport } from "../foundation/errors.ts";
import type { Json } from "../foundation/json.ts";
import { DeliveryQueue } from "./delivery-queue.ts";
import { cancelled, crashLoop, nondeterminism, operationUnknown } from "./errors.ts";
import { OperationStart } from "./operation-start.ts";
import type { Dispatcher } from "./ports.ts";
import type { Delivery, RecordedOperation, Recording } from "./recording.ts";
import type { ScopedOperation, ScopeNode } from "./scope.ts";

// Owns the open operations of one run: from the program's question to the delivered outcome.
// I1: a `world` effect starts in `whenDurable`; a `journal` effect is events of the same group.
// I2: an operation with a recorded outcome gets that outcome and is never started.
// I3: outcomes go through the delivery queue, live and in replay alike.
// I7: `ended()` resolves when every effect has ended, also those of cancelled operations.

/** What the runner needs of its run. */
export interface OperationRunnerOptions {
  readonly run: string;
  readonly recording: Recording;
  readonly dispatcher: Dispatcher;
  readonly append: (data: EventData) => JournalEvent;
  readonly whenDurable: (callback: () => void) => void;
  readonly runningMs: () => number;
  /** The journal's last owner died without letting go. */
  readonly hasOwnerDied: boolean;
  readonly onCancellation: () => void;
  /** Called when the program has taken in all that was recorded, before open operations start again. */
  readonly onLive: () => void;
  /** The program and the journal do not fit; the run stops. */
  readonly onFatal: (error: unknown) => void;
}

/** What a program asks for. */
export interface OperationQuestion {
  readonly kind: string;
  readonly input: Json;
  /** Beats the registered handler of the kind: code that cannot be journaled. */
  readonly handler?: OperationHandler;
}

interface OpenOperation extends ScopedOperation {
  readonly op: string;
  readonly kind: string;
  readonly input: Json;
  readonly scope: string;
  readonly handler: OperationHandler | undefined;
  readonly recorded: RecordedOperation | undefined;
  readonly scheduledAt: number;
  readonly scheduledAtRunningMs: number;
  readonly resolve: (value: Json) => void;
  readonly reject: (error: unknown) => void;
  readonly leave: () => void;
  start: OperationStart | undefined;
  isSettled: boolean;
}

const MOST_OWNER_DEATHS = 3;

/** Carries out what a program asks for, once each. */
export class OperationRunner {
  readonly #options: OperationRunnerOptions;
  readonly #handlers = new Map<string, OperationHandler>();
  readonly #deliveries: DeliveryQueue;
  /** Asked and not yet delivered. */
  readonly #open = new Map<string, OpenOperation>();
  readonly #effects = new Map<OperationStart, Promise<void>>();
  #mode: "replaying" | "live" | "stopped" = "replaying";
  #recordedLeft = 0;
  #last: { readonly seq: number; readonly at: number } = { seq: 0, at: 0 };

  constructor(options: OperationRunnerOptions) {
    this.#options = options;
    this.#deliveries = new DeliveryQueue((delivery) => this.#deliver(delivery));
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

  /** Sets what counts as the last delivered outcome before there is one. */
  begin(at: { readonly seq: number; readonly at: number }): void {
    this.#last = at;
  }

  /** Starts to hand the recorded outcomes to the program, which has just been called. */
  replay(): void {
    const { deliveries } = this.#options.recording;
    this.#recordedLeft = deliveries.length;
    for (const delivery of deliveries) this.#deliveries.push(delivery);
    if (deliveries.length === 0) setImmediate(() => this.#goLive());
  }

  /** Takes one question of the program. */
  ask(scope: ScopeNode, question: OperationQuestion): Promise<Json> {
    if (this.#mode === "stopped") return new Promise(() => {});
    if (scope.status.status !== "open") {
      return Promise.reject(
        cancelled({
          reason: scope.status.status === "cancelled" ? scope.status.reason : "its scope is over",
        }),
      );
    }
    const answer = new Promise<Json>((resolve, reject) => {
      const op = scope.nextId(question.kind);
      try {
        const recorded = this.#options.recording.take(op, question.kind, question.input);
        this.#enter(scope, { op, question, recorded, resolve, reject });
      } catch (error) {
        this.#options.onFatal(error);
      }
    });
    // Whoever awaits the answer sees its error; an operation that nobody awaits must not end the process.
    answer.catch(() => {});
    return answer;
  }

  /** Delivers an event that is no outcome in the order of outcomes. */
  deliver(delivery: Delivery): void {
    this.#deliveries.push(delivery);
  }

  /** Stops delivering and starting, and asks every effect to end. */
  stop(request: StopRequest): void {
    this.#mode = "stopped";
    this.#deliveries.stop();
    for (const start of this.#effects.keys()) start.stop(request);
    for (const operation of this.#open.values()) operation.start?.stop(request);
  }

  /** Resolves when no effect runs any more. */
  async ended(): Promise<void> {
    while (this.#effects.size > 0) await Promise.all(this.#effects.values());
  }

  #enter(
    scope: ScopeNode,
    asked: {
      op: string;
      question: OperationQuestion;
      recorded: RecordedOperation | undefined;
      resolve: (value: Json) => void;
      reject: (error: unknown) => void;
    },
  ): void {
    const { op, question, recorded, resolve, reject } = asked;
    const { kind, input } = question;
    const scheduledAt =
      recorded?.scheduledAt ??
      this.#options.append({ type: "operation-scheduled", op, kind, input }).at;
    const operation: OpenOperation = {
      op,
      kind,
      input,
      scope: scope.path,
      handler: question.handler ?? this.#handlers.get(kind),
      recorded,
      scheduledAt,
      scheduledAtRunningMs: recorded?.scheduledAtRunningMs ?? this.#options.runningMs(),
      resolve,
      reject,
      leave: () => scope.delete(operation),
      start: undefined,
      isSettled: recorded?.isSettled ?? false,
      cancel: (reason) => this.#settle(operation, { status: "cancelled", reason }),
    };
    this.#open.set(op, operation);
    scope.add(operation);
    if (this.#mode === "live") this.#begin(operation);
  }

  #goLive(): void {
    if (this.#mode !== "replaying") return;
    try {
      this.#options.recording.assertAllAsked();
    } catch (error) {
      this.#options.onFatal(error);
      return;
    }
    this.#mode = "live";
    this.#options.onLive();
    for (const operation of [...this.#open.values()]) {
      if (!operation.isSettled) this.#begin(operation);
    }
  }

  #begin(operation: OpenOperation): void {
    if (operation.handler === undefined) {
      this.#fail(operation, operationUnknown({ op: operation.op, kind: operation.kind }));
      return;
    }
    const { handler, recorded } = operation;
    if (handler.effect === "journal") this.#execute(operation, handler, recorded?.attempt ?? 1);
    else if (recorded !== undefined) this.#beginAgain(operation, handler, recorded);
    else this.#options.whenDurable(() => this.#execute(operation, handler, 1));
  }

  #beginAgain(
    operation: OpenOperation,
    handler: OperationHandler,
    recorded: RecordedOperation,
  ): void {
    const deaths = recorded.ownerDeaths + (this.#options.hasOwnerDied ? 1 : 0);
    if (deaths >= MOST_OWNER_DEATHS && (handler.waitsFor ?? "work") === "work") {
      this.#fail(operation, crashLoop({ op: operation.op, deaths }));
      return;
    }
    const cause = this.#options.hasOwnerDied ? "owner-died" : "suspended";
    const attempt = recorded.attempt + 1;
    this.#options.append({ type: "operation-attempted", op: operation.op, attempt, cause });
    this.#options.whenDurable(() => this.#execute(operation, handler, attempt));
  }

  #execute(operation: OpenOperation, handler: OperationHandler, attempt: number): void {
    if (operation.isSettled || this.#mode === "stopped") return;
    const start = new OperationStart({
      op: operation.op,
      scope: operation.scope,
      key: `${this.#options.run}/${operation.op}`,
      attempt,
      failedAttempts: operation.recorded?.failedAttempts ?? 0,
      scheduledAt: operation.scheduledAt,
      scheduledAtRunningMs: operation.scheduledAtRunningMs,
      onNextAttempt: (next, delayMs) => this.#journalAttempt(operation, next, delayMs),
    });
    operation.start = start;
    try {
      const result = this.#options.dispatcher.dispatch(handler, operation.input, start);
      if (result instanceof Promise) this.#follow(operation, start, result);
      else this.#settle(operation, { status: "ok", value: result });
    } catch (error) {
      this.#fail(operation, error);
    }
  }

  #follow(operation: OpenOperation, start: OperationStart, result: Promise<Json>): void {
    const ended = result.then(
      (value) => this.#settle(operation, { status: "ok", value }),
      (error: unknown) => {
        // A stopped effect settles nothing: the operation stays open for the next owner.
        if (this.#mode !== "stopped") this.#fail(operation, error);
      },
    );
    this.#effects.set(
      start,
      ended.finally(() => this.#effects.delete(start)),
    );
  }

  #journalAttempt(operation: OpenOperation, attempt: number, delayMs: number): Promise<void> {
    this.#options.append({
      type: "operation-attempted",
      op: operation.op,
      attempt,
      cause: "failed",
      delayMs,
    });
    return new Promise((resolve) => this.#options.whenDurable(resolve));
  }

  #fail(operation: OpenOperation, error: unknown): void {
    this.#settle(operation, { status: "error", error: toErrorReport(error) });
  }

  #settle(operation: OpenOperation, outcome: OperationOutcome): void {
    if (operation.isSettled) return;
    operation.isSettled = true;
    const { op, start } = operation;
    const event = this.#options.append({ type: "operation-settled", op, outcome });
    // What the journal keeps (secrets masked) is what the program gets, so that replay gives it the same.
    const recorded = event.type === "operation-settled" ? event.outcome : outcome;
    this.#deliveries.push({ kind: "outcome", seq: event.seq, at: event.at, op, outcome: recorded });
    if (outcome.status === "cancelled" && start !== undefined) {
      this.#options.whenDurable(() => start.stop({ kind: "cancelled", reason: outcome.reason }));
    }
  }

  #deliver(delivery: Delivery): void {
    this.#last = delivery;
    if (delivery.kind === "cancellation") this.#options.onCancellation();
    else this.#deliverOutcome(delivery.op, delivery.outcome);
    if (this.#recordedLeft > 0) {
      this.#recordedLeft -= 1;
      if (this.#recordedLeft === 0) setImmediate(() => this.#goLive());
    }
  }

  #deliverOutcome(op: string, outcome: OperationOutcome): void {
    const operation = this.#open.get(op);
    if (operation === undefined) {
      const asked = "nothing yet";
      this.#options.onFatal(
        nondeterminism({ op, recorded: `its ${outcome.status} outcome`, asked }),
      );
      return;
    }
    this.#open.delete(op);
    operation.leave();
    if (outcome.status === "ok") operation.resolve(outcome.value);
    else if (outcome.status === "error") operation.reject(fromErrorReport(outcome.error));
    else operation.reject(cancelled({ reason: outcome.reason }));
  }
}
