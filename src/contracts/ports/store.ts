import type { Json } from "../../foundation/json.ts";
import type { EventData, JournalEvent } from "../events/event.ts";

/** An event with its place, ready to be written. */
export type NewEvent = EventData & { readonly seq: number; readonly at: number };

/** One transaction of a journal. */
export interface AppendBatch {
  /** The writer's epoch; checked in the transaction (I5). Raises ENGINE_LEASE_LOST. */
  readonly epoch: number;
  /** Consecutive from the journal's last seq + 1. */
  readonly events: readonly NewEvent[];
  /** Replaces the one-row summary of the run. */
  readonly head?: Json;
  /** Texts stored by their SHA-256. Known ones are kept. */
  readonly blobs?: { readonly [hash: string]: string };
}

/** Who owns a run, as other processes see it. */
export interface LeaseHolder {
  readonly epoch: number;
  readonly pid: number;
  /** Start time of the process in the units of its system; tells a reused pid. */
  readonly pidStartedAt: string;
  readonly bootId: string;
  /** Name of its machine; absent where the owner has not told it. */
  readonly host?: string;
  /** Calendar time of its last sign of life, in ms, as the file system tells it. For lists; leases never go by it. */
  readonly lastSeenAt?: number;
  /** Where the owner listens for commands. */
  readonly socketPath: string;
  /** The command line, for people. */
  readonly command: string;
}

/** What tells one owner from another; `now` readings are of one monotonic clock per boot, in ms. */
export interface LeaseClaim extends Omit<LeaseHolder, "epoch"> {
  readonly nowMs: number;
}

export type LeaseAttempt =
  | { readonly status: "taken"; readonly epoch: number }
  | {
      readonly status: "held";
      readonly holder: LeaseHolder;
      /** Of a holder elsewhere: for how long the claimant has seen no renewal. */
      readonly renewedAgoMs: number;
    };

/**
 * The journal of one run. Every method may raise STORE_CORRUPT, STORE_UNREADABLE, STORE_UNWRITABLE,
 * STORE_FULL and STORE_FORMAT_UNKNOWN.
 */
export interface Journal {
  readonly run: string;
  /**
   * Durable when it resolves: all of the batch or nothing. Resolves with how long the event loop stood still for a disk, in
   * ms; 0 where it did not. Raises ENGINE_LEASE_LOST, STORE_BUSY.
   */
  append(batch: AppendBatch): Promise<number>;
  /** Events with seq > `afterSeq` in order, verified against the chain of hashes. */
  read(afterSeq?: number): Iterable<JournalEvent>;
  /** 0 for an empty journal. */
  lastSeq(): number;
  head(): Json | undefined;
  blob(hash: string): string | undefined;
  /**
   * Takes the lease if it is free, if `isGone` says so of a holder of the claimant's host, boot and pid namespace, or if it
   * was not renewed for `ttlMs`. For a holder elsewhere, `ttlMs` counts on the claimant's clock from its first look, so
   * that the claim must be repeated. The new epoch is one higher than any before.
   */
  takeLease(
    claim: LeaseClaim,
    rules: { readonly ttlMs: number; isGone(holder: LeaseHolder): boolean },
  ): LeaseAttempt;
  /** Raises ENGINE_LEASE_LOST when another epoch holds it. */
  renewLease(epoch: number, nowMs: number): void;
  /** Gives the lease back if `epoch` holds it. */
  releaseLease(epoch: number): void;
  leaseHolder(): LeaseHolder | undefined;
  /** Notes that somebody carries the run out from here on. Whether the last who did said that it gave up. */
  beginWork(): boolean;
  /** Says that the run is given up for now although nobody died and nothing can be appended. Needs no space. */
  giveUpWork(): void;
  /** Why this user may look at the run and no more (SEC-2); undefined for a run that this user's Troupe made. */
  foreign(): string | undefined;
  /** Writes and syncs the seal: what a later open must find at least. */
  seal(): void;
  close(): void;
}

/** Tells when another process has appended. */
export interface JournalFollower {
  /** Resolves with the new events once there are any. Rejects with the signal's reason. */
  next(signal: AbortSignal): Promise<readonly JournalEvent[]>;
  close(): void;
}

/** Where journals live. */
export interface RunStore {
  /** Raises STORE_RUN_EXISTS. */
  create(run: string): Journal;
  /**
   * Raises RUN_NOT_FOUND, and for `write` RUN_FOREIGN. `read` never changes a file and needs no right to write.
   */
  open(run: string, mode: "read" | "write"): Journal;
  follow(run: string, afterSeq: number): JournalFollower;
  /** Ids of all runs, newest first. */
  list(): readonly string[];
  /** Whether there is anything under an id, readable or not. False where nothing can be looked at: creating says why. */
  has(run: string): boolean;
  /**
   * Makes a foreign run this user's own, once she has agreed to what it would run. Raises RUN_NOT_FOUND, RUN_OWNED and
   * RUN_KEY_UNUSABLE.
   */
  adopt(run: string): void;
  /** Removes a run that nobody owns. */
  remove(run: string): void;
}
