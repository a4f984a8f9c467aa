import type { EventData, JournalEvent } from "../contracts/events/event.ts";
import type { OperationHandler } from "../contracts/operation.ts";
import type { WorkPlaces } from "../contracts/ports/context.ts";
import type { RunState } from "../fold/state/run-state.ts";
import type { ErrorReport } from "../foundation/errors.ts";
import type { Timers } from "./ports.ts";
import type { KeptText } from "./run-journal.ts";
import type { RunningClock } from "./running-clock.ts";

/**
 * A run as those see it who cause facts in it: the supervisor of agents, messaging, approvals. Only the
 * owner of the run has one.
 */
export interface RunRuntime {
  readonly run: string;
  /** The fold of everything appended, durable or not. Read only. */
  readonly state: RunState;
  readonly timers: Timers;
  readonly runningClock: RunningClock;
  /** Appends one event. Events of one turn of the event loop become durable together. */
  append(data: EventData): JournalEvent;
  /**
   * Keeps a text in the journal, durable together with what is appended next. Returns its hash and the text
   * as it was kept, without secrets.
   */
  keepText(text: string): KeptText;
  /** A text that was kept, by its hash; undefined when there is none. Raises STORE_* errors. */
  textOf(ref: string): string | undefined;
  /** The events after a place, durable or not, oldest first. Raises STORE_* errors. */
  eventsAfter(seq: number): Iterable<JournalEvent>;
  /** Runs the callback once all that was appended so far is durable; effects go here (I1). */
  whenDurable(callback: () => void): void;
  /** Resolves once all that was appended so far is durable; rejects with ENGINE_NOT_RECORDED if it cannot be. */
  flushed(): Promise<void>;
  /** Registers who carries out operations of a kind. */
  register(handler: OperationHandler): void;
  /**
   * Calls the listener with every event as it is appended, before it is durable: for wakes inside the
   * owner only. The result ends the listening.
   */
  onAppended(listener: (event: JournalEvent) => void): () => void;
  /** Calls the listener with the path of every scope that is over, once that is durable. */
  onScopeOver(listener: (path: string) => void): void;
  /** Calls the listener once replay is over, before open operations start again. */
  onLive(listener: () => void): void;
  /**
   * Calls the listener whenever all that was appended is durable and has reached the program: what the state
   * says then holds until something new happens.
   */
  onQuiet(listener: () => void): void;
  /** Whether nothing works any more but what waits for people, children included. */
  readonly isStill: boolean;
  /** Looks again whether the run can rest: something that no event of it says has changed. */
  checkRest(): void;
  /**
   * Keeps a run that would end as completed open while `isHeld` says so, which is asked after every event: something
   * goes on that its program does not wait for. Limits, cancellation and failure end it all the same.
   */
  holdOpen(isHeld: () => boolean): void;
  /** Registers what says where agents work, for the steps of the program. Before the program starts. */
  locateWork(places: WorkPlaces): void;
  /**
   * Registers what must end before the run lets go: called with the way it ends, and once more, with
   * `suspended`, if the run fails meanwhile.
   */
  onStopping(listener: (stop: "suspended" | "ended") => Promise<void>): void;
  /**
   * Registers what follows the run to its very end: called when all that could append has ended, before the
   * last event; what it appends is still recorded. Called once more if the run fails meanwhile.
   */
  onStopped(listener: () => Promise<void>): void;
  /**
   * Ends the run as `limit-reached` with this error, resumable: its operations stay open. `when-still`: as soon
   * as no turn and no step of the program works any more; whoever calls sees to it that none begins. Once is enough.
   */
  stopAtLimit(error: ErrorReport, when: "now" | "when-still"): void;
  /** Stops the run without writing anything: something that must not happen has happened. */
  fail(error: unknown): void;
}
