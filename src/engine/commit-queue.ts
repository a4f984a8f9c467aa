import type { EventData, JournalEvent } from "../contracts/events/event.ts";
import type { Timer } from "../foundation/clock.ts";
import type { Json } from "../foundation/json.ts";
import { present } from "../foundation/present.ts";
import { notRecorded } from "./errors.ts";
import type { RunLog, Timers } from "./ports.ts";

// Owns the events between "appended" and "durable". Does not own deliveries to the program; it only
// asks whether some wait, because what they cause should travel in the same commit.
// I1: `whenDurable` callbacks run after the commit of all that was appended before.
// I4: nothing is written before `open`, so that a replay that fails leaves no trace.
// I6: one commit per turn of the event loop; a commit for which the loop stood still longer than 2 ms is followed by as
//     long a pause. Events that nothing follows from wait for the next commit, but not for long, and not when somebody
//     waits for them.
// I8: the timers of that pause and of that wait end with `stop`.

export interface CommitQueueOptions {
  readonly log: RunLog;
  readonly timers: Timers;
  /** Seq of the last event that is durable. */
  readonly lastSeq: number;
  /** Whether outcomes wait for the program; a commit lets them go first. */
  readonly hasDeliveries: () => boolean;
  readonly onAppended: (event: JournalEvent) => void;
  /** The summary to store beside a group. */
  readonly head: () => Json;
  readonly onCommitted: (events: readonly JournalEvent[]) => void;
  /** The log cannot be written any more, or what was to follow a commit threw; the queue has stopped. */
  readonly onFailed: (error: unknown) => void;
}

interface Flush {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

// Deliveries may go on producing events; beyond this many the group is written nevertheless.
const LARGEST_GROUP = 4096;
const SLOW_COMMIT_MS = 2;
const LONGEST_RIDE_MS = 50;

/** Collects events and makes them durable in groups. */
export class CommitQueue {
  readonly #options: CommitQueueOptions;
  readonly #takeTurn: () => void;
  #seq: number;
  #events: JournalEvent[] = [];
  /** What is being committed. */
  #committing: readonly JournalEvent[] = [];
  #blobs: { [hash: string]: string } | undefined;
  #callbacks: (() => void)[] = [];
  #flushes: Flush[] = [];
  #status: "held" | "idle" | "scheduled" | "committing" | "stopped" = "held";
  #isFinished = false;
  #notBeforeMs = 0;
  #pause: Timer | undefined;
  /** Whether a commit is wanted for what is collected; else it rides with the next one. */
  #isWanted = false;
  #ride: Timer | undefined;

  constructor(options: CommitQueueOptions) {
    this.#options = options;
    this.#seq = options.lastSeq;
    this.#takeTurn = () => this.#turn();
  }

  /** Lets commits begin; until then everything is only collected. */
  open(): void {
    if (this.#status === "held") this.#goOn();
  }

  /** Gives the event its place. It is durable later; effects wait in `whenDurable`. */
  append(data: EventData): JournalEvent {
    const event: JournalEvent = { seq: this.#seq + 1, at: this.#options.timers.now(), ...data };
    if (this.#takesNothing()) return event;
    this.#seq += 1;
    this.#events.push(event);
    // Deliveries that the event causes are queued before the commit, so that both share one turn.
    this.#options.onAppended(event);
    if (ridesAlong(event)) this.#waitForRide();
    else this.#schedule();
    return event;
  }

  /** Stores a text under its hash together with the next commit. */
  addBlob(hash: string, text: string): void {
    if (this.#takesNothing()) return;
    this.#blobs ??= {};
    this.#blobs[hash] = text;
    this.#schedule();
  }

  /** Runs the callback once everything appended so far is durable: now, if it is; never, if it cannot be. */
  whenDurable(callback: () => void): void {
    if (this.#takesNothing()) return;
    if (this.#isDone()) {
      callback();
      return;
    }
    this.#callbacks.push(callback);
    this.#schedule();
  }

  /** Resolves once everything appended so far is durable; rejects with ENGINE_NOT_RECORDED if it cannot be. */
  flushed(): Promise<void> {
    if (this.#takesNothing()) return Promise.reject(this.#lost());
    return this.#nextFlush();
  }

  /** Appends the last event and takes nothing more; resolves once it is durable. */
  async finish(data: EventData): Promise<JournalEvent> {
    const event = this.append(data);
    const flushed = this.flushed();
    this.#isFinished = true;
    await flushed;
    return event;
  }

  /** What is not durable yet, oldest first. */
  get pending(): readonly JournalEvent[] {
    return [...this.#committing, ...this.#events];
  }

  /** Whether everything is durable. */
  get isClean(): boolean {
    return this.#isDone();
  }

  /** Drops what is not durable and never commits again. */
  stop(): void {
    this.#status = "stopped";
    this.#pause?.cancel();
    this.#endRide();
    this.#events = [];
    this.#callbacks = [];
    const flushes = this.#flushes;
    this.#flushes = [];
    for (const { reject } of flushes) reject(this.#lost());
  }

  #takesNothing(): boolean {
    return this.#isFinished || this.#status === "stopped";
  }

  #lost(): Error {
    return notRecorded({ run: this.#options.log.run });
  }

  /** An event that is just being appended is not scheduled yet, but those who hear of it may ask already. */
  #isDone(): boolean {
    return this.#status === "idle" && this.#events.length === 0;
  }

  #nextFlush(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isDone()) return resolve();
      this.#flushes.push({ resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    this.#isWanted = true;
    if (this.#status !== "idle") return;
    this.#status = "scheduled";
    setImmediate(this.#takeTurn);
  }

  #waitForRide(): void {
    this.#ride ??= this.#options.timers.startTimer(LONGEST_RIDE_MS, () => {
      this.#ride = undefined;
      this.#schedule();
    });
  }

  #endRide(): void {
    this.#ride?.cancel();
    this.#ride = undefined;
  }

  #turn(): void {
    if (this.#status !== "scheduled") return;
    if (this.#options.hasDeliveries() && this.#events.length < LARGEST_GROUP) {
      setImmediate(this.#takeTurn);
      return;
    }
    const waitMs = this.#notBeforeMs - this.#options.timers.monotonic();
    if (waitMs > 0) this.#pause = this.#options.timers.startTimer(waitMs, this.#takeTurn);
    else void this.#commit(); // reports its errors through onFailed
  }

  async #commit(): Promise<void> {
    const { log, timers, head, onCommitted, onFailed } = this.#options;
    const [events, blobs] = [this.#events, this.#blobs];
    const [callbacks, flushes] = [this.#callbacks, this.#flushes];
    this.#events = [];
    this.#committing = events;
    this.#blobs = undefined;
    this.#callbacks = [];
    this.#flushes = [];
    this.#isWanted = false;
    this.#endRide();
    this.#status = "committing";
    try {
      const startedMs = timers.monotonic();
      const stoodStillMs = await log.append({ events, head: head(), ...present({ blobs }) });
      this.#committing = [];
      // Stopped meanwhile: the run was given up, so nobody may act on what is durable after all.
      if (this.#takesNoMore()) return this.#give(flushes, false);
      // The log may have a clock of its own.
      this.#rest(Math.min(stoodStillMs, timers.monotonic() - startedMs));
      onCommitted(events);
      for (const callback of callbacks) callback();
      this.#give(flushes, true);
    } catch (error) {
      this.stop();
      this.#give(flushes, false);
      onFailed(error);
    }
  }

  #takesNoMore(): boolean {
    return this.#status === "stopped";
  }

  #give(flushes: readonly Flush[], isDurable: boolean): void {
    for (const { resolve, reject } of flushes) {
      if (isDurable) resolve();
      else reject(this.#lost());
    }
  }

  #rest(stoodStillMs: number): void {
    const now = this.#options.timers.monotonic();
    this.#notBeforeMs = stoodStillMs > SLOW_COMMIT_MS ? now + stoodStillMs : 0;
    this.#goOn();
  }

  #goOn(): void {
    this.#status = "idle";
    if (this.#isWanted) this.#schedule();
  }
}

/**
 * Whether an event needs no commit of its own: it tells of something that has happened already, and whoever takes the
 * run over without knowing of it does the same as with it.
 */
function ridesAlong(event: JournalEvent): boolean {
  switch (event.type) {
    case "session-ended":
      return true;
    case "agent-ready":
      // The next owner goes on with the session by that token.
      return event.resume === undefined;
    default:
      return false;
  }
}
