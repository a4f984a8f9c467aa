/**
 * Owns: the journal of one run, the retry of a busy lock.
 * Does not own: when there is a connection (resting-connection.ts), when to seal, renew or checkpoint (the caller's), who may take a lease (lease-rules.ts).
 * I5: the epoch is checked in the transaction that appends. I6: one batch is one transaction, one sync.
 * I8: a retry's timer ends with `close`. I9: nothing outside the run's directory is touched.
 */
import type { DatabaseSync } from "node:sqlite";
import type { JournalEvent } from "../contracts/events/event.ts";
import type {
  AppendBatch,
  Journal,
  LeaseAttempt,
  LeaseClaim,
  LeaseHolder,
} from "../contracts/ports/store.ts";
import type { Clock } from "../foundation/clock.ts";
import type { Json } from "../foundation/json.ts";
import { isShortage, outlastShortage } from "../foundation/shortage.ts";
import type { OwnerBeats } from "../host/owner-beats.ts";
import { corruptAfter, storeUnwritable } from "./errors.ts";
import type { ChainEnd } from "./event-log.ts";
import { bindConnection } from "./journal-connection.ts";
import type { LeaseRules } from "./lease-rules.ts";
import { RestingConnection } from "./resting-connection.ts";
import { makePrivateFile, type RunFiles, removeFile } from "./run-files.ts";
import { RunLease } from "./run-lease.ts";
import { foreignReason, type OriginPlace, type RunOrigins, writeOrigin } from "./run-origin.ts";
import { assertSealed, readSeal, type Seal, writeSeal } from "./seal.ts";
import { closeOnError, connect, setSyncing } from "./sqlite-connection.ts";
import {
  asStoreError,
  isStoreBusy,
  isStoreFull,
  retryWhileBusy,
  type StoreAccess,
} from "./sqlite-errors.ts";

/** How a journal was opened. */
export interface OpenOptions {
  readonly mode: "read" | "write";
  /** Drives the retries of a busy lock. */
  readonly clock: Clock;
  /** Seals runs and knows seals again; without it every run is this user's. */
  readonly origins: RunOrigins | undefined;
  /** When the owners of runs were last at work. */
  readonly beats: OwnerBeats;
}

/** Opens a journal and checks it against its seal; undefined when there is no such run. */
export function openSqliteJournal(
  files: RunFiles,
  options: OpenOptions,
): SqliteJournal | undefined {
  const { mode } = options;
  return asStoreError(files.where, mode, () => {
    // The seal comes first: whoever appends meanwhile only ever raises what the journal then shows.
    const seal = readSeal(files);
    const db = connect(files, mode);
    if (db === undefined) {
      if (seal === undefined) return undefined;
      const problem = `events 1 to ${seal.seq} are missing, which its seal says were written`;
      throw corruptAfter(files.where, problem, 0);
    }
    return closeOnError(db, () => {
      const journal = new SqliteJournal(db, files, options);
      if (seal !== undefined) journal.assertSealed(seal);
      return journal;
    });
  });
}

interface Committed<Value> {
  readonly value: Value;
  /** How long the disk took, in ms. */
  readonly syncedMs: number;
}

/** The journal of one run in a SQLite file. */
export class SqliteJournal implements Journal {
  readonly run: string;
  readonly #files: RunFiles;
  readonly #mode: "read" | "write";
  readonly #clock: Clock;
  readonly #origins: RunOrigins | undefined;
  readonly #lease: RunLease;
  readonly #kept: RestingConnection;
  readonly #closed = new AbortController();
  #retrying: Promise<unknown> | undefined;
  #sealedSeq = 0;
  // Nobody else appends while the epoch holds, and the epoch is checked in every transaction.
  #end: ChainEnd | undefined;

  constructor(db: DatabaseSync, files: RunFiles, { mode, clock, origins, beats }: OpenOptions) {
    this.run = files.where.run;
    this.#files = files;
    this.#mode = mode;
    this.#clock = clock;
    this.#origins = origins;
    this.#kept = new RestingConnection(bindConnection(db, files), files);
    this.#lease = new RunLease(() => this.#kept.use().lease, files, beats);
  }

  append(batch: AppendBatch): Promise<number> {
    // A batch that came later must not overtake one that waits for the lock.
    if (this.#retrying !== undefined) return this.#retrying.then(() => this.append(batch));
    try {
      return Promise.resolve(this.#appendNow(batch));
    } catch (error) {
      const mayPass = isStoreBusy(error) || isShortage(error);
      return mayPass ? this.#appendLater(batch) : Promise.reject(error);
    }
  }

  read(afterSeq = 0): Iterable<JournalEvent> {
    return { [Symbol.iterator]: () => this.#kept.read(afterSeq) };
  }

  lastSeq(): number {
    return this.#try("read", () => this.#kept.use().events.last().seq);
  }

  head(): Json | undefined {
    return this.#try("read", () => this.#kept.use().texts.head());
  }

  blob(hash: string): string | undefined {
    return this.#try("read", () => this.#kept.use().texts.blob(hash));
  }

  /** Also raises STORE_BUSY, as renewLease and releaseLease do: retryWhileBusy repeats them. */
  takeLease(claim: LeaseClaim, rules: LeaseRules): LeaseAttempt {
    // Most claims that fail do so here, without a lock that would keep the owner from writing.
    const attempt = this.#try("read", () => this.#lease.judge(claim, rules));
    if (attempt.status === "held") return attempt;
    // Of a run that has no event there is nothing to lose, and its first append syncs the log whole.
    const syncing = this.lastSeq() === 0 ? "OFF" : "NORMAL";
    const taken = this.#unsynced(() => this.#lease.take(claim, rules), syncing);
    if (taken.status === "taken") this.#kept.owned(taken.epoch);
    return taken;
  }

  renewLease(epoch: number, nowMs: number): void {
    this.#assertWritable();
    this.#try("write", () => {
      this.#kept.renewed(epoch, () => this.#lease.assertHeldBy(epoch));
      this.#lease.beat(nowMs);
    });
  }

  releaseLease(epoch: number): void {
    this.#assertWritable();
    try {
      this.#unsynced(() => this.#lease.release(epoch));
    } catch (error) {
      this.#try("write", () => this.#lease.letGo(epoch));
      throw error;
    }
  }

  leaseHolder(): LeaseHolder | undefined {
    return this.#try("read", () => this.#lease.holder());
  }

  beginWork(): boolean {
    this.#assertWritable();
    return this.#try("write", () => removeFile(this.#files.givenUp));
  }

  giveUpWork(): void {
    this.#assertWritable();
    this.#try("write", () => makePrivateFile(this.#files.givenUp));
  }

  foreign(): string | undefined {
    const origins = this.#origins;
    if (origins === undefined) return undefined;
    return this.#try("read", () => foreignReason(this.#origin(), this.#files, origins));
  }

  /** Seals a run that somebody else began. */
  adopt(): void {
    this.#transaction(() => this.#signOrigin());
  }

  seal(): void {
    this.#assertWritable();
    const last = this.#try("read", () => this.#kept.use().events.last());
    if (last.seq === 0 || last.seq === this.#sealedSeq) return;
    this.#try("write", () => writeSeal(this.#files, last));
    this.#sealedSeq = last.seq;
  }

  close(): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort(
      storeUnwritable({ ...this.#files.where, problem: "it was closed meanwhile" }),
    );
    this.#try("write", () => this.#kept.close());
  }

  /** Raises STORE_CORRUPT when the journal holds less than what was sealed, or something else. */
  assertSealed(seal: Seal): void {
    this.#try("read", () => assertSealed(this.#kept.use().events, seal, this.#files.where));
  }

  /** A number that changes when another connection has committed. */
  dataVersion(): number {
    return this.#try("read", () => {
      const { data_version: version } = this.#kept.use().dataVersion.get() ?? {};
      return Number(version);
    });
  }

  /** How long the disk took, in ms. */
  #appendNow(batch: AppendBatch): number {
    this.#renewReserve();
    const known = this.#end;
    this.#end = undefined;
    const { value: end, syncedMs } = this.#transaction(() => {
      this.#lease.assertHeldBy(batch.epoch);
      const end = this.#kept
        .use()
        .events.insert(batch.events, known ?? this.#kept.use().events.last());
      if (batch.blobs !== undefined) this.#kept.use().texts.addBlobs(batch.blobs);
      if (batch.head !== undefined) this.#kept.use().texts.writeHead(batch.head);
      if (batch.events[0]?.seq === 1) this.#signOrigin();
      return end;
    });
    this.#end = end;
    return syncedMs;
  }

  #renewReserve(): void {
    try {
      this.#try("write", () => this.#kept.use().reserve.renew());
    } catch (error) {
      if (!isStoreBusy(error) && !isStoreFull(error)) throw error;
    }
  }

  #signOrigin(): void {
    if (this.#origins !== undefined) writeOrigin(this.#origin(), this.run, this.#origins);
  }

  #origin(): OriginPlace {
    return { db: this.#kept.use().db, firstHash: this.#kept.use().events.firstHash() };
  }

  #appendLater(batch: AppendBatch): Promise<number> {
    const options = { clock: this.#clock, signal: this.#closed.signal };
    const appended = outlastShortage(
      () => retryWhileBusy(() => this.#appendNow(batch), options),
      this.#clock,
    ).finally(() => {
      this.#retrying = undefined;
    });
    this.#retrying = appended;
    return appended;
  }

  // SQLite lets a connection that only reads begin to write, and refuses only its first change.
  #assertWritable(): void {
    if (this.#mode === "read")
      throw storeUnwritable({ ...this.#files.where, problem: "it was opened for reading" });
  }

  /**
   * Who holds the lease need not survive a loss of power, after which nobody holds it: another boot is another holder.
   * Every append syncs the log as far as it goes, so no event is durable before the lease that it was written under (I5).
   */
  #unsynced<Value>(work: () => Value, syncing: "NORMAL" | "OFF" = "NORMAL"): Value {
    this.#assertWritable();
    this.#try("write", () => setSyncing(this.#kept.use().db, syncing));
    try {
      return this.#transaction(work).value;
    } finally {
      this.#try("write", () => setSyncing(this.#kept.use().db, "FULL"));
    }
  }

  #transaction<Value>(work: () => Value): Committed<Value> {
    this.#assertWritable();
    return this.#try("write", () => {
      const { db, begin, commit } = this.#kept.use();
      begin.run();
      try {
        const value = work();
        const syncingMs = this.#clock.monotonic();
        commit.run();
        return { value, syncedMs: this.#clock.monotonic() - syncingMs };
      } catch (error) {
        // SQLite rolls back by itself after some failures, such as a full disk.
        if (db.isTransaction) db.exec("ROLLBACK");
        throw error;
      }
    });
  }

  #try<Value>(access: StoreAccess, work: () => Value): Value {
    return asStoreError(this.#files.where, access, work);
  }
}
