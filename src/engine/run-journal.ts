import type { EventData, JournalEvent } from "../contracts/events/event.ts";
import type { RunConfiguration, RunCreated } from "../contracts/events/run-events.ts";
import type { RunLimits } from "../contracts/run.ts";
import { fold } from "../fold/fold.ts";
import { toHead } from "../fold/head.ts";
import { ownedMsAt, runningMsAt } from "../fold/running-time.ts";
import { emptyRunState, type RunState } from "../fold/state/run-state.ts";
import type { Timer } from "../foundation/clock.ts";
import { sha256 } from "../foundation/hash.ts";
import { present } from "../foundation/present.ts";
import { isShortage, outlastShortage } from "../foundation/shortage.ts";
import { CommitQueue } from "./commit-queue.ts";
import { FactStream } from "./facts.ts";
import type { RunLog, Timers } from "./ports.ts";
import { Recording } from "./recording.ts";

/** A new run: its first event and the texts that the hashes in it stand for. */
export interface RunBirth {
  readonly event: RunCreated;
  readonly definitionText: string;
  /** The text that its reuse hash stands for, if it has one. */
  readonly reuseText?: string;
}

/** Takes secrets out of what is about to be written. */
export interface JournalMask {
  event(data: EventData): EventData;
  text(text: string): string;
}

/** A text that lies in the journal, and its SHA-256 in lower-case hexadecimal. */
export interface KeptText {
  readonly ref: string;
  readonly text: string;
}

/** Where a run is written, and how. */
export interface RunRecorder {
  readonly log: RunLog;
  /** Takes secrets out of what is about to be written; programs get what is written. */
  readonly mask: JournalMask | undefined;
  /** Steps that the definition has, for the summary of the run. */
  readonly stepTotal: number;
}

/** What the time of an owner begins with. */
export interface RunBeginning {
  /** Undefined for a run that is in the journal already. */
  readonly created: RunBirth | undefined;
  /** Limits that replace the recorded ones from here on. */
  readonly limits: RunLimits | undefined;
  /** Configuration that replaces the recorded one from here on. */
  readonly configuration?: RunConfiguration | undefined;
}

/** Who hears what becomes of a journal. */
export interface JournalWatcher {
  /** Whether outcomes are still to reach the program; a commit lets them go first. */
  readonly hasDeliveries: boolean;
  /** Called before the event is durable. */
  appended(event: JournalEvent): void;
  /** Called once a group of events is durable. */
  committed(events: readonly JournalEvent[]): void;
  /** Nothing can be written any more. */
  failed(error: unknown): void;
}

/** So many of the newest messages an owner keeps at least; older ones are read from the journal. */
export const MOST_MESSAGES = 1024;

interface RunJournalOptions {
  readonly recorder: RunRecorder;
  readonly timers: Timers;
  readonly watcher: JournalWatcher;
}

/** The journal of a run in its owner's hands: what was in it, what is added, and the fold of both. */
export class RunJournal {
  /** The fold of everything appended, durable or not. */
  readonly state: RunState;
  /** The facts of the run. */
  readonly facts: FactStream;
  /** What the journal held when this owner took it. */
  readonly recording = new Recording();
  readonly run: string;
  readonly #options: RunJournalOptions;
  readonly #queue: CommitQueue;
  readonly #seals: SealKeeper;
  /** Texts that are not durable yet. */
  readonly #newTexts = new Map<string, string>();
  #hasOwnerDied = false;

  /** Reads the journal; raises STORE_* errors. */
  constructor(options: RunJournalOptions) {
    const { recorder, timers, watcher } = options;
    const { log, stepTotal } = recorder;
    this.#options = options;
    this.run = log.run;
    this.state = emptyRunState(log.run, { mostMessages: MOST_MESSAGES });
    this.facts = new FactStream({
      eventsAfter: (seq) => this.eventsAfter(seq),
      mostMessages: MOST_MESSAGES,
    });
    for (const event of log.read()) this.#read(event);
    const onFailed = (error: unknown) => watcher.failed(error);
    this.#seals = new SealKeeper(log, timers, onFailed);
    this.#queue = new CommitQueue({
      log,
      timers,
      lastSeq: this.state.lastSeq,
      hasDeliveries: () => watcher.hasDeliveries,
      onAppended: (event) => this.#onAppended(event),
      head: () => toHead(this.state, stepTotal),
      onCommitted: (events) => this.#onCommitted(events),
      onFailed,
    });
  }

  /** Running time of the run so far. */
  get runningMs(): number {
    return runningMsAt(this.state, this.#options.timers.now());
  }

  /** How long somebody has owned the run. */
  get ownedMs(): number {
    return ownedMsAt(this.state, this.#options.timers.now());
  }

  /** Whether everything is durable. */
  get isClean(): boolean {
    return this.#queue.isClean;
  }

  /** Whether the owner before this one has died: it has not let go, nor said that it could not go on. */
  get hasOwnerDied(): boolean {
    return this.#hasOwnerDied;
  }

  /** Appends what begins the time of this owner: the run itself, its start, or that it goes on. */
  begin(epoch: number, { created, limits, configuration }: RunBeginning): void {
    const hasGivenUp = this.#options.recorder.log.beginWork();
    this.#hasOwnerDied = this.state.phase.status === "running" && !hasGivenUp;
    if (created !== undefined) {
      const { event, definitionText, reuseText } = created;
      this.#queue.addBlob(event.definitionHash, definitionText);
      if (event.reuse !== undefined && reuseText !== undefined)
        this.#addText({ ref: event.reuse.hash, text: reuseText });
      this.append(event);
    }
    if (this.state.phase.status === "created") this.append({ type: "run-started", epoch });
    else this.append({ type: "run-resumed", epoch, ...present({ limits, configuration }) });
  }

  /** Lets commits begin: the program has asked for all that is recorded. */
  open(): void {
    this.#queue.open();
  }

  append(data: EventData): JournalEvent {
    return this.#queue.append(this.#options.recorder.mask?.event(data) ?? data);
  }

  /** Keeps a text, durable together with what is appended next. */
  keepText(given: string): KeptText {
    const text = this.#options.recorder.mask?.text(given) ?? given;
    const kept = { ref: sha256(text), text };
    this.#addText(kept);
    return kept;
  }

  /** A text by its hash, durable or not. */
  textOf(ref: string): string | undefined {
    return this.#newTexts.get(ref) ?? this.#options.recorder.log.blob(ref);
  }

  /** The events after a place, durable or not, oldest first. Raises STORE_* errors. */
  *eventsAfter(seq: number): Generator<JournalEvent> {
    let last = seq;
    for (const event of this.#options.recorder.log.read(seq)) {
      yield event;
      last = event.seq;
    }
    for (const event of this.#queue.pending) if (event.seq > last) yield event;
  }

  whenDurable(callback: () => void): void {
    this.#queue.whenDurable(callback);
  }

  flushed(): Promise<void> {
    return this.#queue.flushed();
  }

  /** Appends the last event, resolves once it is durable, and seals it. Nothing is written after it. */
  async finish(data: EventData): Promise<JournalEvent> {
    const event = await this.#queue.finish(data);
    await this.#seals.close();
    this.#queue.stop();
    return event;
  }

  /** Drops what is not durable and writes nothing more. */
  stop(): void {
    this.#seals.cancel();
    this.#queue.stop();
  }

  /** Says that the owner has not died although it writes nothing more. */
  giveUp(): void {
    this.#options.recorder.log.giveUpWork();
  }

  #read(event: JournalEvent): void {
    fold(this.state, event);
    this.recording.add(event, this.state.runningTime);
    this.facts.add(event);
  }

  #addText({ ref, text }: KeptText): void {
    this.#queue.addBlob(ref, text);
    this.#newTexts.set(ref, text);
    this.#queue.whenDurable(() => this.#newTexts.delete(ref));
  }

  #onAppended(event: JournalEvent): void {
    fold(this.state, event);
    this.facts.add(event);
    this.#options.watcher.appended(event);
  }

  #onCommitted(events: readonly JournalEvent[]): void {
    this.#seals.committed();
    this.#options.watcher.committed(events);
  }
}

const SEAL_INTERVAL_MS = 5000;

/** Seals a log at most every 5 s while it grows, off the path of its commits, and once at the end. */
export class SealKeeper {
  readonly #log: RunLog;
  readonly #timers: Timers;
  readonly #onFailed: (error: unknown) => void;
  #timer: Timer | undefined;

  /** `onFailed` hears of seals between commits that could not be written. */
  constructor(log: RunLog, timers: Timers, onFailed: (error: unknown) => void) {
    this.#log = log;
    this.#timers = timers;
    this.#onFailed = onFailed;
  }

  /** Something was committed: a seal is due within the interval. */
  committed(): void {
    this.#timer ??= this.#timers.startTimer(SEAL_INTERVAL_MS, () => {
      this.#timer = undefined;
      try {
        this.#log.seal();
      } catch (error) {
        if (isShortage(error)) this.committed();
        else this.#onFailed(error);
      }
    });
  }

  /** Seals what is durable, waiting for a descriptor if need be, and ends the timer. Raises STORE_* errors. */
  async close(): Promise<void> {
    this.cancel();
    await outlastShortage(() => this.#log.seal(), this.#timers);
  }

  /** Ends the timer without sealing. */
  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
