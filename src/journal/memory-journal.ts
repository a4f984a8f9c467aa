import type { JournalEvent } from "../contracts/events/event.ts";
import type {
  AppendBatch,
  Journal,
  LeaseAttempt,
  LeaseClaim,
  LeaseHolder,
} from "../contracts/ports/store.ts";
import type { Json } from "../foundation/json.ts";
import { leaseLost, storeCorrupt, storeUnreadable, storeUnwritable } from "./errors.ts";
import {
  claimed,
  isHeldBy,
  judgeClaim,
  type LeaseRules,
  type LeaseState,
  signOf,
} from "./lease-rules.ts";

/** What a run holds; shared by all its open journals, as a file is. */
export interface MemoryRun {
  readonly run: string;
  readonly events: JournalEvent[];
  readonly blobs: Map<string, string>;
  /** Called after each append; followers that wait. */
  readonly waiters: Set<() => void>;
  head: Json | undefined;
  lease: LeaseState;
  /** Since when, by its own clock, a claimant has seen the lease as it is. */
  seen: { readonly sign: string; readonly sinceMs: number } | undefined;
  hasGivenUp: boolean;
}

/**
 * The journal of one run in memory. Events are kept as they are given, neither copied nor frozen; by
 * convention nobody changes an event.
 */
export class MemoryJournal implements Journal {
  readonly run: string;
  readonly #state: MemoryRun;
  readonly #mode: "read" | "write";
  #isClosed = false;

  constructor(state: MemoryRun, mode: "read" | "write") {
    this.run = state.run;
    this.#state = state;
    this.#mode = mode;
  }

  append(batch: AppendBatch): Promise<number> {
    try {
      this.#appendNow(batch);
      return Promise.resolve(0);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  *read(afterSeq = 0): Iterable<JournalEvent> {
    const { events } = this.#forReading();
    for (let index = afterSeq; index < events.length; index += 1) {
      const event = events[index];
      if (event !== undefined) yield event;
    }
  }

  lastSeq(): number {
    return this.#forReading().events.length;
  }

  head(): Json | undefined {
    return this.#forReading().head;
  }

  blob(hash: string): string | undefined {
    return this.#forReading().blobs.get(hash);
  }

  takeLease(claim: LeaseClaim, rules: LeaseRules): LeaseAttempt {
    const state = this.#forWriting();
    const sign = `${claim.bootId} ${signOf(state.lease)}`;
    if (state.seen?.sign !== sign) state.seen = { sign, sinceMs: claim.nowMs };
    const unchangedMs = claim.nowMs - state.seen.sinceMs;
    const attempt = judgeClaim(state.lease, claim, { ...rules, unchangedMs });
    if (attempt.status === "taken") state.lease = claimed(claim, attempt.epoch);
    return attempt;
  }

  renewLease(epoch: number, nowMs: number): void {
    const state = this.#forWriting();
    const { holding } = this.#heldBy(epoch);
    if (holding !== undefined) state.lease = { epoch, holding: { ...holding, renewedAtMs: nowMs } };
  }

  releaseLease(epoch: number): void {
    const state = this.#forWriting();
    if (state.lease.epoch === epoch) state.lease = { epoch };
  }

  leaseHolder(): LeaseHolder | undefined {
    return this.#forReading().lease.holding?.holder;
  }

  beginWork(): boolean {
    const state = this.#forWriting();
    const { hasGivenUp } = state;
    state.hasGivenUp = false;
    return hasGivenUp;
  }

  giveUpWork(): void {
    this.#forWriting().hasGivenUp = true;
  }

  foreign(): undefined {
    return undefined;
  }

  /** Nothing to do: what lives as long as its process cannot be lost in part. */
  seal(): void {
    this.#forWriting();
  }

  close(): void {
    this.#isClosed = true;
  }

  #appendNow({ epoch, events, head, blobs }: AppendBatch): void {
    const state = this.#forWriting();
    this.#heldBy(epoch);
    this.#assertContinues(events);
    for (const event of events) state.events.push(event);
    for (const [hash, text] of Object.entries(blobs ?? {}))
      if (!state.blobs.has(hash)) state.blobs.set(hash, text);
    if (head !== undefined) state.head = head;
    for (const wake of [...state.waiters]) wake();
  }

  #assertContinues(events: readonly JournalEvent[]): void {
    const last = this.#state.events.length;
    for (const [index, { seq }] of events.entries()) {
      const wanted = last + index + 1;
      if (seq === wanted) continue;
      const problem = `event ${seq} came where event ${wanted} belongs`;
      const intactUpTo = wanted - 1;
      throw storeCorrupt({ ...this.#place(), problem, firstBadSeq: wanted, intactUpTo });
    }
  }

  #heldBy(epoch: number): LeaseState {
    const { lease, run } = this.#state;
    if (!isHeldBy(lease, epoch)) throw leaseLost({ run, epoch, currentEpoch: lease.epoch });
    return lease;
  }

  #forReading(): MemoryRun {
    if (this.#isClosed) throw storeUnreadable({ ...this.#place(), problem: "it was closed" });
    return this.#state;
  }

  #forWriting(): MemoryRun {
    if (this.#isClosed) throw storeUnwritable({ ...this.#place(), problem: "it was closed" });
    if (this.#mode === "read")
      throw storeUnwritable({ ...this.#place(), problem: "it was opened for reading" });
    return this.#state;
  }

  #place(): { readonly run: string; readonly place: string } {
    return { run: this.run, place: "in memory" };
  }
}
