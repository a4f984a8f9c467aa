import type { EventData, JournalEvent } from "../contracts/event.ts";
import type { Json } from "../foundation/json.ts";
import type { RunLog, Timers } from "./ports.ts";

// Owns the events between "appended" and "durable". Does not own deliveries to the program; it only
// asks whether some wait, because what they cause should travel in the same commit.
// I1: `whenDurable` callbacks run after the commit of all that was appended before.
// I6: one commit per turn of the event loop; a commit slower than 2 ms is followed by as long a pause.

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
  /** The log cannot be written any more; the queue has stopped. */
  readonly onFailed: (error: unknown) => void;
}

// Deliveries may go on producing events; beyond this many the group is written nevertheless.
const LARGEST_GROUP = 4096;
const SLOW_COMMIT_MS = 2;

/** Collects events and makes them durable in groups. */
export class CommitQueue {
  readonly #options: CommitQueueOptions;
  #seq: number;
  #events: JournalEvent[] = [];
  #blobs: { [hash: string]: string } | undefined;
  #callbacks: (() => void)[] = [];
  #flushes: (() => void)[] = [];
  #status: "idle" | "scheduled" | "committing" | "stopped" = "idle";
  #notBeforeMs = 0;

  constructor(options: CommitQueueOptions) {
    this.#options = options;
    this.#seq = options.lastSeq;
  }

  /** Gives the event its place. It is durable later; effects wait in `whenDurable`. */
  append(data: EventData): JournalEvent {
    const event: JournalEvent = { seq: this.#seq + 1, at: this.#options.timers.now(), ...data };
    if (this.#status === "stopped") return event;
    this.#seq += 1;
    this.#events.push(event);
    this.#options.onAppended(event);
    this.#schedule();
    return event;
  }

  /** Stores a text under its hash together with the next commit. */
  addBlob(hash: string, text: string): void {
    this.#blobs = { ...this.#blobs, [hash]: text };
    this.#schedule();
  }

  /** Runs the callback once everything appended so far is durable: now, if it is; never, if it cannot be. */
  whenDurable(callback: () => void): void {
    if (this.#status === "idle") callback();
    else this.#callbacks.push(callback);
  }

  /** Resolves once everything appended so far is durable, or the queue has stopped. */
  flushed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#status === "idle" || this.#status === "stopped") resolve();
      else this.#flushes.push(resolve);
    });
  }

  /** Whether everything is durable. */
  get isClean(): boolean {
    return this.#status === "idle";
  }

  /** Drops what is not durable and never commits again. */
  stop(): void {
    this.#status = "stopped";
    this.#events = [];
    this.#callbacks = [];
    const flushes = this.#flushes;
    this.#flushes = [];
    for (const resolve of flushes) resolve();
  }

  #schedule(): void {
    if (this.#status !== "idle") return;
    this.#status = "scheduled";
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    if (this.#status !== "scheduled") return;
    if (this.#options.hasDeliveries() && this.#events.length < LARGEST_GROUP) {
      setImmediate(() => this.#turn());
      return;
    }
    const waitMs = this.#notBeforeMs - this.#options.timers.monotonic();
    if (waitMs > 0) this.#options.timers.startTimer(waitMs, () => this.#turn());
    else void this.#commit(); // reports its errors through onFailed
  }

  async #commit(): Promise<void> {
    const { log, timers, head, onCommitted, onFailed } = this.#options;
    const [events, blobs, callbacks, flushes] = [
      this.#events,
      this.#blobs,
      this.#callbacks,
      this.#flushes,
    ];
    this.#events = [];
    this.#blobs = undefined;
    this.#callbacks = [];
    this.#flushes = [];
    this.#status = "committing";
    const startedMs = timers.monotonic();
    try {
      if (events.length > 0 || blobs !== undefined) {
        await log.append({ events, head: head(), ...(blobs === undefined ? {} : { blobs }) });
      }
    } catch (error) {
      this.#flushes.push(...flushes);
      this.stop();
      onFailed(error);
      return;
    }
    this.#rest(timers.monotonic() - startedMs);
    if (events.length > 0) onCommitted(events);
    for (const callback of callbacks) callback();
    for (const resolve of flushes) resolve();
  }

  #rest(tookMs: number): void {
    if (this.#status !== "committing") return;
    const now = this.#options.timers.monotonic();
    this.#notBeforeMs = tookMs > SLOW_COMMIT_MS ? now + tookMs : 0;
    this.#status = "idle";
    if (this.#events.length > 0 || this.#callbacks.length > 0 || this.#flushes.length > 0)
      this.#schedule();
  }
}
