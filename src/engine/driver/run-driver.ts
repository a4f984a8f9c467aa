import type { EventData, JournalEvent } from "../../contracts/events/event.ts";
import type { OperationHandler } from "../../contracts/operation.ts";
import type { WorkPlaces } from "../../contracts/ports/context.ts";
import type { SuspendReason } from "../../contracts/run.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import type { ErrorReport } from "../../foundation/errors.ts";
import { approvalHandler, questionHandler } from "../operations/person-operations.ts";
import type { Timers } from "../ports.ts";
import type { RunParting } from "../run-exit.ts";
import type { KeptText } from "../run-journal.ts";
import type { StopKind } from "../run-listeners.ts";
import type { RunRuntime } from "../run-runtime.ts";
import type { RunningClock } from "../running-clock.ts";
import type { RunDriverOptions } from "./run-driver-options.ts";
import { ownHandlers, type RunParts } from "./run-parts.ts";
import { RunPhases } from "./run-phases.ts";

// Owns nothing but the view of a run that others have: each call goes to the part that keeps its promise.

/** Carries out one run until it ends or lets go. Make it, register handlers, then `start`. */
export class RunDriver<Definition> implements RunRuntime {
  readonly run: string;
  readonly state: RunState;
  readonly timers: Timers;
  readonly runningClock: RunningClock;
  readonly #phases: RunPhases<Definition>;
  readonly #parts: RunParts<Definition>;

  /** Reads the run's journal; raises STORE_* errors. */
  constructor(options: RunDriverOptions<Definition>) {
    this.#phases = new RunPhases(options);
    this.#parts = this.#phases.parts;
    const { journal, runningClock } = this.#parts;
    this.run = journal.run;
    this.state = journal.state;
    this.timers = options.timers;
    this.runningClock = runningClock;
    for (const handler of ownHandlers(this.#parts, options)) this.register(handler);
    this.register(approvalHandler(this));
    this.register(questionHandler(this));
  }

  /** Resolves when the run has ended or was let go. Rejects when it had to stop without a word in the journal. */
  get parted(): Promise<RunParting> {
    return this.#parts.exit.parted;
  }

  /** Begins, or goes on where the journal ends. Raises ENGINE_RUN_OVER. */
  start(): void {
    this.#phases.start();
  }

  /** Lets go of the run without settling anything. */
  suspend(reason: SuspendReason, exitCode: number, error?: ErrorReport): void {
    this.#parts.exit.suspend(reason, exitCode, error);
  }

  /** Asks the run to end; that reaches the program in the order of the journal. Once is enough. */
  cancel(reason: string, by: string): void {
    if (this.state.cancellation === undefined)
      this.append({ type: "cancellation-requested", reason, by });
  }

  append(data: EventData): JournalEvent {
    return this.#parts.journal.append(data);
  }

  keepText(text: string): KeptText {
    return this.#parts.journal.keepText(text);
  }

  textOf(ref: string): string | undefined {
    return this.#parts.journal.textOf(ref);
  }

  eventsAfter(seq: number): Iterable<JournalEvent> {
    return this.#parts.journal.eventsAfter(seq);
  }

  whenDurable(callback: () => void): void {
    this.#parts.journal.whenDurable(callback);
  }

  flushed(): Promise<void> {
    return this.#parts.journal.flushed();
  }

  register(handler: OperationHandler): void {
    this.#parts.runner.register(handler);
  }

  onAppended(listener: (event: JournalEvent) => void): () => void {
    return this.#parts.listeners.onAppended(listener);
  }

  onScopeOver(listener: (path: string) => void): void {
    this.#parts.listeners.onScopeOver(listener);
  }

  onLive(listener: () => void): void {
    this.#parts.listeners.onLive(listener);
  }

  holdOpen(isHeld: () => boolean): void {
    this.#parts.listeners.holdOpen(isHeld);
  }

  locateWork(places: WorkPlaces): void {
    this.#parts.listeners.locateWork(places);
  }

  onQuiet(listener: () => void): void {
    this.#parts.listeners.onQuiet(listener);
  }

  get isStill(): boolean {
    return this.#parts.runner.isStill;
  }

  checkRest(): void {
    this.#parts.rest.check();
  }

  onStopping(listener: (stop: StopKind) => Promise<void>): void {
    this.#parts.listeners.onStopping(listener);
  }

  onStopped(listener: () => Promise<void>): void {
    this.#parts.listeners.onStopped(listener);
  }

  stopAtLimit(error: ErrorReport, when: "now" | "when-still"): void {
    this.#parts.bounds.stopAtLimit(error, when);
  }

  fail(error: unknown): void {
    this.#parts.exit.fail(error);
  }
}
