import type { Context } from "../contracts/context.ts";
import type { EventData, EventOf, JournalEvent } from "../contracts/event.ts";
import type { NoteData } from "../contracts/events/note-events.ts";
import type { RunCreated, RunEnded, RunSuspended } from "../contracts/events/run-events.ts";
import type { Host } from "../contracts/host.ts";
import type { OperationHandler } from "../contracts/operation.ts";
import type { Program, ProgramResult } from "../contracts/program.ts";
import type { RunLimits, SuspendReason } from "../contracts/run.ts";
import type { RunState } from "../fold/run-state.ts";
import { runningMsAt } from "../fold/running-time.ts";
import { isWaitingForPerson, waitingItems } from "../fold/waiting.ts";
import type { Timer } from "../foundation/clock.ts";
import { toErrorReport } from "../foundation/errors.ts";
import type { Json } from "../foundation/json.ts";
import { seededRandom } from "../foundation/random.ts";
import { foreignPromise } from "./errors.ts";
import { OperationRunner } from "./operation-runner.ts";
import { approvalHandler } from "./operations/approval-operation.ts";
import { nextHandler } from "./operations/next-operation.ts";
import { deadlineHandler, sleepHandler } from "./operations/timer-operations.ts";
import type { Dispatcher, Ownership, RunLog, Timers } from "./ports.ts";
import { type ContextPorts, createContext } from "./program-context.ts";
import { endOfProgram, endOfTime, type ProgramEnd } from "./run-ending.ts";
import { RunJournal } from "./run-journal.ts";
import { createRunListeners, type StopKind } from "./run-listeners.ts";
import type { RunRuntime } from "./run-runtime.ts";
import { RunningClock } from "./running-clock.ts";
import { ScopeNode } from "./scope.ts";

// Owns one run for as long as this process has it: replay, the program, suspension and the end.
// Does not own operations (OperationRunner), durability (CommitQueue) or agents (registered handlers).
// I7: the run neither ends nor lets go before every effect has ended.
// I11: suspension settles nothing; the end is written once.

/** How this process and the run parted. */
export type RunParting =
  | { readonly status: "ended"; readonly event: EventOf<"run-ended"> }
  | { readonly status: "suspended"; readonly event: EventOf<"run-suspended"> };

export interface RunDriverOptions<Definition> {
  readonly log: RunLog;
  readonly ownership: Ownership;
  readonly timers: Timers;
  readonly dispatcher: Dispatcher;
  readonly host: Host;
  readonly program: Program<Definition>;
  readonly definition: Definition;
  /** For a new run: its first event and the text that its definition hash stands for. */
  readonly created?: { readonly event: RunCreated; readonly definitionText: string };
  /** Limits that replace the recorded ones from here on. */
  readonly limits?: RunLimits;
  /** Steps that the definition has, for the summary of the run. */
  readonly stepTotal?: number;
  /** Let go as soon as only people can move the run on. */
  readonly suspendsWhenWaiting: boolean;
  /** Carries out a pattern that a program asks for by name. */
  readonly runPattern: (context: Context, name: string, options: Json) => Promise<Json>;
  /** What the run came to, from its state and, unless it was cut short, from the program. */
  readonly toResult: (state: RunState, result: ProgramResult | undefined) => Json;
  /** Time that shielded scopes have after a cancellation. Defaults to 30 s. */
  readonly cleanupMs?: number;
  /** Sees every group of events once it is durable. */
  readonly onCommitted?: (events: readonly JournalEvent[]) => void;
}

const DEFAULT_CLEANUP_MS = 30_000;
const WAITING_EXIT_CODE = 3;

/** Carries out one run until it ends or lets go. Make it, register handlers, then `start`. */
export class RunDriver<Definition> implements RunRuntime {
  readonly run: string;
  readonly state: RunState;
  readonly timers: Timers;
  readonly runningClock: RunningClock;
  readonly #options: RunDriverOptions<Definition>;
  readonly #journal: RunJournal;
  readonly #runner: OperationRunner;
  readonly #root = new ScopeNode("");
  readonly #listeners = createRunListeners();
  readonly #parted = Promise.withResolvers<RunParting>();
  #phase: "ready" | "running" | "returned" | "stopping" | "over" = "ready";
  #end: ProgramEnd | undefined;
  #isLive = false;
  #cancellations = 0;
  #cleanupTimer: Timer | undefined;

  /** Reads the run's journal; raises STORE_* errors. */
  constructor(options: RunDriverOptions<Definition>) {
    this.#options = options;
    this.run = options.log.run;
    this.timers = options.timers;
    this.runningClock = new RunningClock(options.timers);
    this.#journal = this.#openJournal();
    this.state = this.#journal.state;
    this.#runner = this.#createRunner();
    this.register(sleepHandler(this.timers));
    this.register(deadlineHandler(this.runningClock, () => this.#runningMs()));
    this.register(nextHandler(this.#journal.facts, this.runningClock));
    this.register(approvalHandler(this));
    options.ownership.onLost((error) => this.fail(error));
  }

  /** Resolves when the run has ended or was let go. Rejects when it had to stop without a word in the journal. */
  get parted(): Promise<RunParting> {
    return this.#parted.promise;
  }

  /** Begins, or goes on where the journal ends. */
  start(): void {
    this.#phase = "running";
    this.#appendBeginning();
    this.#runner.begin({ seq: 1, at: this.state.run.createdAt });
    this.#startDeadline();
    const { program, definition } = this.#options;
    const context = createContext(this.#root, this.#contextPorts());
    const returned = (async () => program.run(context, definition))();
    // `parted` carries the errors of both ends.
    void returned.then(
      (result) => this.#programEnded({ status: "returned", result }),
      (error: unknown) => this.#programEnded({ status: "threw", error: toErrorReport(error) }),
    );
    this.#runner.replay();
  }

  /** Lets go of the run without settling anything. */
  suspend(reason: SuspendReason, exitCode: number): void {
    void this.#part("suspended", () => ({
      type: "run-suspended",
      reason,
      waitingFor: waitingItems(this.state),
      exitCode,
    }));
  }

  /** Asks the run to end; that reaches the program in the order of the journal. Once is enough. */
  cancel(reason: string, by: string): void {
    if (this.state.cancellation === undefined) this.#requestCancellation(reason, by);
  }

  append(data: EventData): JournalEvent {
    return this.#journal.append(data);
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
    this.#listeners.appended.add(listener);
    return () => void this.#listeners.appended.delete(listener);
  }

  onScopeOver(listener: (path: string) => void): void {
    this.#listeners.scopeOver.push(listener);
  }

  onLive(listener: () => void): void {
    this.#listeners.live.push(listener);
  }

  onStopping(listener: (stop: StopKind) => Promise<void>): void {
    this.#listeners.stopping.push(listener);
  }

  /** The journal cannot be written any more, or must not: everything stops without a word in it. */
  fail(error: unknown): void {
    if (this.#phase === "over") return;
    this.#phase = "over";
    this.#journal.stop();
    this.#runner.stop({ kind: "suspended" });
    // What runs must end before anyone is told.
    void this.#stopEffects("suspended").finally(() => {
      this.#letGo();
      this.#parted.reject(error);
    });
  }

  #openJournal(): RunJournal {
    return new RunJournal({
      log: this.#options.log,
      timers: this.timers,
      stepTotal: this.#options.stepTotal ?? 0,
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
      runningMs: () => this.#runningMs(),
      hasOwnerDied: this.state.phase.status === "running",
      onCancellation: () => this.#cancelScopes(),
      onLive: () => this.#goLive(),
      onFatal: (error) => this.fail(error),
    });
  }

  #appendBeginning(): void {
    const { created, ownership, limits } = this.#options;
    const { epoch } = ownership;
    if (created === undefined) {
      this.append({ type: "run-resumed", epoch, ...(limits === undefined ? {} : { limits }) });
      return;
    }
    this.#journal.addBlob(created.event.definitionHash, created.definitionText);
    this.append(created.event);
    this.append({ type: "run-started", epoch });
  }

  #startDeadline(): void {
    const { timeoutMs } = this.state.run.limits;
    if (timeoutMs === undefined) return;
    this.runningClock.startTimer(timeoutMs - this.#runningMs(), () => {
      void this.#part("suspended", () => endOfTime(timeoutMs, this.#endParts(undefined)));
    });
  }

  #contextPorts(): ContextPorts {
    const { run, epoch } = this.state;
    const { id, workflow, instance, task, params, cwd, seed } = run;
    return {
      facts: { id, workflow, instance, task, params, cwd },
      seed,
      step: {
        timers: this.timers,
        host: this.#options.host,
        jitter: seededRandom(`${seed}:jitter:${epoch}`),
      },
      ask: (scope, question) => this.#runner.ask(scope, question),
      lastDelivered: () => this.#runner.lastDelivered,
      factAt: (seq) => this.#journal.facts.at(seq),
      note: (note, data) => this.#note(note, data),
      scopeOver: (path) => this.#scopeOver(path),
      runPattern: this.#options.runPattern,
    };
  }

  #note(note: string, data: NoteData): void {
    if (this.#phase === "running" && !this.#journal.recording.hasNote(note))
      this.append({ ...data, note });
  }

  #scopeOver(path: string): void {
    this.whenDurable(() => {
      for (const listener of this.#listeners.scopeOver) listener(path);
    });
  }

  #onAppended(event: JournalEvent): void {
    this.runningClock.setStanding(isWaitingForPerson(this.state));
    for (const listener of this.#listeners.appended) listener(event);
  }

  #onCommitted(events: readonly JournalEvent[]): void {
    this.#options.onCommitted?.(events);
    setImmediate(() => this.#checkRest());
  }

  #goLive(): void {
    this.#isLive = true;
    for (const listener of this.#listeners.live) listener();
    if (this.#end !== undefined) this.#finish(this.#end);
    setImmediate(() => this.#checkRest());
  }

  /** Nothing is under way: either only people can go on, or nobody can. */
  #checkRest(): void {
    if (
      !this.#isLive ||
      this.#phase !== "running" ||
      !this.#journal.isClean ||
      this.#runner.hasDeliveries
    )
      return;
    if (this.#options.suspendsWhenWaiting && isWaitingForPerson(this.state)) {
      this.suspend("waiting", WAITING_EXIT_CODE);
    } else if (this.#runner.isIdle) {
      this.#stopStrandedProgram();
    }
  }

  #stopStrandedProgram(): void {
    const error = foreignPromise({ run: this.run });
    // A cancelled program that hangs on something of its own must not keep the run from ending.
    if (this.state.cancellation === undefined) this.fail(error);
    else this.#programEnded({ status: "threw", error: toErrorReport(error) });
  }

  #requestCancellation(reason: string, by: string): void {
    const event = this.append({ type: "cancellation-requested", reason, by });
    this.#runner.deliver({ kind: "cancellation", seq: event.seq, at: event.at });
  }

  /** The first request spares shielded scopes; what is left after the time for cleaning up is the second. */
  #cancelScopes(): void {
    this.#cancellations += 1;
    const reason = this.state.cancellation?.reason ?? "cancelled";
    this.#root.cancel(reason, this.#cancellations > 1);
    if (this.#cancellations > 1) return;
    this.#cleanupTimer = this.timers.startTimer(this.#options.cleanupMs ?? DEFAULT_CLEANUP_MS, () =>
      this.#requestCancellation("the time for cleaning up is over", "troupe"),
    );
  }

  #programEnded(end: ProgramEnd): void {
    if (this.#phase !== "running") return;
    this.#phase = "returned";
    this.#end = end;
    this.#root.close();
    if (this.#isLive) this.#finish(end);
  }

  #finish(end: ProgramEnd): void {
    const result = end.status === "returned" ? end.result : undefined;
    void this.#part("ended", () => endOfProgram(this.state, end, this.#endParts(result)));
  }

  #endParts(result: ProgramResult | undefined): {
    readonly durationMs: number;
    readonly result: Json;
  } {
    return { durationMs: this.#runningMs(), result: this.#options.toResult(this.state, result) };
  }

  /** Ends all effects, writes the last event and lets go. The first way to part is the only one. */
  async #part(stop: StopKind, toEvent: () => RunEnded | RunSuspended): Promise<void> {
    if (this.#phase === "stopping" || this.#phase === "over") return;
    this.#phase = "stopping";
    if (stop === "suspended") this.#runner.stop({ kind: "suspended" });
    try {
      await this.#stopEffects(stop);
      await this.#journal.flushed();
      const event = this.append(toEvent());
      await this.#journal.flushed();
      if (this.#isOver()) return;
      this.#phase = "over";
      this.#journal.close();
      this.#letGo();
      this.#parted.resolve(toParting(event));
    } catch (error) {
      this.fail(error);
    }
  }

  #isOver(): boolean {
    return this.#phase === "over";
  }

  async #stopEffects(stop: StopKind): Promise<void> {
    await Promise.all(this.#listeners.stopping.map((listener) => listener(stop)));
    await this.#runner.ended();
  }

  #letGo(): void {
    this.#cleanupTimer?.cancel();
    this.runningClock.close();
    this.#options.ownership.release();
  }

  #runningMs(): number {
    return runningMsAt(this.state, this.timers.now());
  }
}

function toParting(event: JournalEvent): RunParting {
  if (event.type === "run-ended") return { status: "ended", event };
  if (event.type === "run-suspended") return { status: "suspended", event };
  throw new Error(`a run does not part with ${event.type}`);
}
