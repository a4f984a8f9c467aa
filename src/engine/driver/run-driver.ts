import type { EventData, JournalEvent } from "../../contracts/events/event.ts";
import type { OperationHandler } from "../../contracts/operation.ts";
import type { ProgramResult } from "../../contracts/ports/program.ts";
import type { SuspendReason } from "../../contracts/run.ts";
import { ownedMsAt, runningMsAt } from "../../fold/running-time.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import {
  isAsking,
  isOver,
  isStill,
  isWaitingForPerson,
  runStatus,
  waitingItems,
} from "../../fold/waiting.ts";
import type { ErrorReport } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";
import { runOver } from "../errors.ts";
import { OperationRunner } from "../operation-runner.ts";
import { approvalHandler } from "../operations/approval-operation.ts";
import { nextHandler } from "../operations/next-operation.ts";
import { deadlineHandler, sleepHandler } from "../operations/timer-operations.ts";
import type { Timers } from "../ports.ts";
import { isDelivery } from "../recording.ts";
import { RunBounds } from "../run-bounds.ts";
import { RunCancellation } from "../run-cancellation.ts";
import { endOfProgram } from "../run-ending.ts";
import { RunExit, type RunParting } from "../run-exit.ts";
import { type KeptText, RunJournal } from "../run-journal.ts";
import { RunListeners, type StopKind } from "../run-listeners.ts";
import { RunRest } from "../run-rest.ts";
import type { RunRuntime } from "../run-runtime.ts";
import { RunningClock } from "../running-clock.ts";
import { ProgramRun } from "./program-run.ts";
import type { RunDriverOptions } from "./run-driver-options.ts";

// Owns one run for as long as this process has it: wires its parts and decides when it begins, rests and ends.
// Does not own the program (ProgramRun), operations (OperationRunner), durability (CommitQueue), the way out
// (RunExit), its rest (RunRest) or agents (registered handlers).

/** Carries out one run until it ends or lets go. Make it, register handlers, then `start`. */
export class RunDriver<Definition> implements RunRuntime {
  readonly run: string;
  readonly state: RunState;
  readonly timers: Timers;
  readonly runningClock: RunningClock;
  readonly #options: RunDriverOptions<Definition>;
  readonly #journal: RunJournal;
  readonly #runner: OperationRunner;
  readonly #program: ProgramRun<Definition>;
  readonly #exit: RunExit;
  readonly #cancellation: RunCancellation;
  readonly #listeners = new RunListeners();
  readonly #bounds: RunBounds;
  readonly #rest: RunRest;
  #phase: "replaying" | "live" = "replaying";

  /** Reads the run's journal; raises STORE_* errors. */
  constructor(options: RunDriverOptions<Definition>) {
    this.#options = options;
    this.run = options.log.run;
    this.timers = options.timers;
    this.runningClock = new RunningClock(options.timers);
    this.#journal = this.#openJournal();
    this.state = this.#journal.state;
    this.#runner = this.#createRunner();
    this.#exit = this.#createExit();
    this.#program = this.#createProgram();
    const runningMs = () => this.#runningMs();
    this.#bounds = new RunBounds({
      state: this.state,
      runningClock: this.runningClock,
      runningMs,
      isStill: () => this.isStill,
      endParts: () => this.#endParts(undefined),
      leave: (toEvent) => this.#exit.leave("suspended", toEvent),
    });
    this.#rest = this.#createRest();
    this.#cancellation = new RunCancellation({
      root: this.#program.root,
      timers: this.timers,
      journal: this.#journal,
      ownedMs: () => ownedMsAt(this.state, this.timers.now()),
      cleanupMs: options.cleanupMs,
    });
    this.register(sleepHandler(this.timers));
    this.register(deadlineHandler(this.runningClock, runningMs));
    this.register(nextHandler(this.#journal.facts, { clock: this.runningClock, runningMs }));
    this.register(approvalHandler(this));
    options.ownership.onLost((error) => this.fail(error));
  }

  /** Resolves when the run has ended or was let go. Rejects when it had to stop without a word in the journal. */
  get parted(): Promise<RunParting> {
    return this.#exit.parted;
  }

  /** Begins, or goes on where the journal ends. Raises ENGINE_RUN_OVER. */
  start(): void {
    if (isOver(this.state)) throw runOver({ run: this.run, outcome: runStatus(this.state) });
    const { created, limits, ownership } = this.#options;
    this.#journal.begin(ownership.epoch, { created, limits });
    this.#runner.begin({ seq: 1, at: this.state.run.createdAt });
    this.#bounds.start();
    this.#program.start();
    this.#runner.replay();
  }

  /** Lets go of the run without settling anything. */
  suspend(reason: SuspendReason, exitCode: number): void {
    // Looked up now: the turns that ask are about to be cut off, and what they ask with them.
    const waitingFor = waitingItems(this.state);
    this.#exit.leave("suspended", () => ({ type: "run-suspended", reason, waitingFor, exitCode }));
  }

  /** Asks the run to end; that reaches the program in the order of the journal. Once is enough. */
  cancel(reason: string, by: string): void {
    if (this.state.cancellation === undefined)
      this.append({ type: "cancellation-requested", reason, by });
  }

  append(data: EventData): JournalEvent {
    return this.#journal.append(data);
  }

  keepText(text: string): KeptText {
    return this.#journal.keepText(text);
  }

  textOf(ref: string): string | undefined {
    return this.#journal.textOf(ref);
  }

  whenDurable(callback: () => void): void {
    this.#journal.whenDurable(callback);
  }

  flushed(): Promise<void> {
    return this.#journal.flushed();
  }

  register(handler: OperationHandler): void {
    this.#runner.register(handler);
  }

  onAppended(listener: (event: JournalEvent) => void): () => void {
    return this.#listeners.onAppended(listener);
  }

  onScopeOver(listener: (path: string) => void): void {
    this.#listeners.onScopeOver(listener);
  }

  onLive(listener: () => void): void {
    this.#listeners.onLive(listener);
  }

  onQuiet(listener: () => void): void {
    this.#listeners.onQuiet(listener);
  }

  get isStill(): boolean {
    return isStill(this.state, (operation) => this.#runner.isStill(operation));
  }

  checkRest(): void {
    this.#rest.check();
  }

  onStopping(listener: (stop: StopKind) => Promise<void>): void {
    this.#listeners.onStopping(listener);
  }

  onStopped(listener: () => Promise<void>): void {
    this.#listeners.onStopped(listener);
  }

  stopAtLimit(error: ErrorReport, when: "now" | "when-still"): void {
    this.#bounds.stopAtLimit(error, when);
  }

  fail(error: unknown): void {
    this.#exit.fail(error);
  }

  #openJournal(): RunJournal {
    return new RunJournal({
      log: this.#options.log,
      timers: this.timers,
      stepTotal: this.#options.stepTotal ?? 0,
      mask: this.#options.mask,
      hasDeliveries: () => this.#runner.hasDeliveries,
      onAppended: (event) => this.#onAppended(event),
      onCommitted: (events) => this.#onCommitted(events),
      onFailed: (error) => this.fail(error),
    });
  }

  #createRunner(): OperationRunner {
    return new OperationRunner({
      run: this.run,
      recording: this.#journal.recording,
      dispatcher: this.#options.dispatcher,
      append: (data) => this.append(data),
      whenDurable: (callback) => this.whenDurable(callback),
      flushed: () => this.flushed(),
      runningMs: () => this.#runningMs(),
      hasOwnerDied: () => this.#journal.hasOwnerDied,
      isAsking: (op) => isAsking(this.state, op),
      onCancellation: () => this.#cancellation.take(),
      onLive: () => this.#goLive(),
      onFatal: (error) => this.fail(error),
    });
  }

  #createProgram(): ProgramRun<Definition> {
    const { program, definition, host, runPattern } = this.#options;
    return new ProgramRun({
      program,
      definition,
      timers: this.timers,
      host,
      journal: this.#journal,
      runner: this.#runner,
      append: (data) => this.append(data),
      runPattern,
      isInside: () => this.#exit.isInside,
      hearsOfScopes: () => this.#listeners.hearsOfScopes,
      onScopeOver: (path) => this.#listeners.scopeOver(path),
      onEnd: () => this.#finishLive(),
    });
  }

  #createExit(): RunExit {
    return new RunExit({
      journal: this.#journal,
      stop: () => this.#runner.stop({ kind: "suspended" }),
      endEffects: async (stop) => {
        this.#cancellation.close();
        await this.#listeners.stopping(stop);
        await this.#runner.ended();
        await this.#listeners.stopped();
      },
      letGo: () => {
        this.#cancellation.close();
        this.runningClock.close();
        this.#options.ownership.release();
      },
    });
  }

  #createRest(): RunRest {
    return new RunRest({
      state: this.state,
      suspendsWhenWaiting: this.#options.suspendsWhenWaiting,
      isSettled: () =>
        this.#exit.isInside && this.#program.end === undefined && this.#journal.isClean,
      hasDeliveries: () => this.#runner.hasDeliveries,
      isIdle: () => this.#runner.isIdle,
      onQuiet: () => this.#listeners.quiet(),
      endAtLimit: () => this.#bounds.endIfStill(),
      suspend: (exitCode) => this.suspend("waiting", exitCode),
      fail: (error) => this.fail(error),
      endProgram: (error) => this.#program.endWith(error),
    });
  }

  #onAppended(event: JournalEvent): void {
    if (isDelivery(event)) this.#runner.deliver(event);
    this.runningClock.setStanding(isWaitingForPerson(this.state));
    this.#listeners.appended(event);
  }

  #onCommitted(events: readonly JournalEvent[]): void {
    this.#options.onCommitted?.(events);
    this.#rest.check();
  }

  #goLive(): void {
    this.#phase = "live";
    this.#journal.open();
    this.#listeners.live();
    this.#finishLive();
    this.#exit.replayed();
  }

  /** The run ends with its program, but not before replay has shown that the two fit. */
  #finishLive(): void {
    const { end } = this.#program;
    if (end === undefined || this.#phase !== "live") return;
    const result = end.status === "returned" ? end.result : undefined;
    this.#exit.leave("ended", () => endOfProgram(this.state, end, this.#endParts(result)));
  }

  #endParts(result: ProgramResult | undefined): {
    readonly durationMs: number;
    readonly result: Json;
  } {
    return { durationMs: this.#runningMs(), result: this.#options.toResult(this.state, result) };
  }

  #runningMs(): number {
    return runningMsAt(this.state, this.timers.now());
  }
}
