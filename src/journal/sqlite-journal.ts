/**
 * Owns: the journal of one run, when it has a connection, the retry of a busy lock.
 * Does not own: when to seal, renew or checkpoint (the caller's), who may take a lease (lease-rules.ts).
 * I5: the epoch is checked in the transaction that appends. I6: one batch is one transaction, one sync.
 * I8: a retry's timer ends with `close`. I9: nothing outside the run's directory is touched.
 * I10: a journal that is renewed and not used otherwise comes to rest: it has no connection until it is used again or its
 * files change, and goes on only where it ended.
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
import { corruptAfter, storeCorrupt, storeUnwritable } from "./errors.ts";
import type { ChainEnd } from "./event-log.ts";
import {
  bindConnection,
  type JournalConnection,
  type Restless,
  reconnect,
  restInTurn,
} from "./journal-connection.ts";
import type { LeaseRules } from "./lease-rules.ts";
import type { OwnerBeats } from "./owner-beats.ts";
import { footprintOf, makePrivateFile, type RunFiles, removeFile } from "./run-files.ts";
import { RunLease } from "./run-lease.ts";
import { foreignReason, type OriginPlace, type RunOrigins, writeOrigin } from "./run-origin.ts";
import { assertSealed, readSeal, type Seal, writeSeal } from "./seal.ts";
import { closeOnError, connect, growLog, setSyncing } from "./sqlite-connection.ts";
import {
  asStoreError,
  isStoreBusy,
  isStoreFull,
  retryWhileBusy,
  type StoreAccess,
} from "./sqlite-errors.ts";

// 3 to 6 s: whoever is asked again at once is not kept waiting.
const QUIET_RENEWALS = 2;

/** How a journal was left. */
interface Rest {
  readonly epoch: number;
  readonly end: ChainEnd;
  readonly footprint: string;
}

// A short run, of which there may be many, ends before a long log is worth its 2 MB.
const APPENDS_BEFORE_GROWTH = 8;

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
      throw emptied(files, seal);
    }
    return closeOnError(db, () => {
      const journal = new SqliteJournal(db, files, options);
      if (seal !== undefined) journal.assertSealed(seal);
      return journal;
    });
  });
}

/** The journal of one run in a SQLite file. */
export class SqliteJournal implements Journal, Restless {
  readonly run: string;
  readonly #files: RunFiles;
  readonly #mode: "read" | "write";
  readonly #clock: Clock;
  readonly #origins: RunOrigins | undefined;
  readonly #lease: RunLease;
  /** Undefined at rest. */
  #connection: JournalConnection | undefined;
  #rest: Rest | undefined;
  /** Renewals since it was used for anything else. */
  #quietRenewals = 0;
  #renewedEpoch = 0;
  #readers = 0;
  readonly #closed = new AbortController();
  #retrying: Promise<void> | undefined;
  #sealedSeq = 0;
  #appends = 0;
  // Nobody else appends while the epoch holds, and the epoch is checked in every transaction.
  #end: ChainEnd | undefined;

  constructor(db: DatabaseSync, files: RunFiles, { mode, clock, origins, beats }: OpenOptions) {
    this.run = files.where.run;
    this.#files = files;
    this.#mode = mode;
    this.#clock = clock;
    this.#origins = origins;
    this.#connection = bindConnection(db, files);
    this.#lease = new RunLease(() => this.#use().lease, files, beats);
  }

  append(batch: AppendBatch): Promise<void> {
    // A batch that came later must not overtake one that waits for the lock.
    if (this.#retrying !== undefined) return this.#retrying.then(() => this.append(batch));
    try {
      this.#appendNow(batch);
      return Promise.resolve();
    } catch (error) {
      const mayPass = isStoreBusy(error) || isShortage(error);
      return mayPass ? this.#appendLater(batch) : Promise.reject(error);
    }
  }

  read(afterSeq = 0): Iterable<JournalEvent> {
    return { [Symbol.iterator]: () => this.#readFrom(afterSeq) };
  }

  lastSeq(): number {
    return this.#try("read", () => this.#use().events.last().seq);
  }

  head(): Json | undefined {
    return this.#try("read", () => this.#use().texts.head());
  }

  blob(hash: string): string | undefined {
    return this.#try("read", () => this.#use().texts.blob(hash));
  }

  /** Also raises STORE_BUSY, as renewLease and releaseLease do: retryWhileBusy repeats them. */
  takeLease(claim: LeaseClaim, rules: LeaseRules): LeaseAttempt {
    // Most claims that fail do so here, without a lock that would keep the owner from writing.
    const attempt = this.#try("read", () => this.#lease.judge(claim, rules));
    if (attempt.status === "held") return attempt;
    return this.#unsynced(() => this.#lease.take(claim, rules));
  }

  renewLease(epoch: number, nowMs: number): void {
    this.#assertWritable();
    this.#try("write", () => {
      const quietRenewals = this.#quietRenewals;
      if (!this.#isAsItWasLeft()) this.#lease.assertHeldBy(epoch);
      this.#lease.beat(nowMs);
      this.#renewedEpoch = epoch;
      this.#quietRenewals = quietRenewals + 1;
      if (this.#connection !== undefined && this.#isQuiet()) restInTurn(this);
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
    const last = this.#try("read", () => this.#use().events.last());
    if (last.seq === 0 || last.seq === this.#sealedSeq) return;
    this.#try("write", () => writeSeal(this.#files, last));
    this.#sealedSeq = last.seq;
  }

  close(): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort(
      storeUnwritable({ ...this.#files.where, problem: "it was closed meanwhile" }),
    );
    this.#try("write", () => this.#connection?.db.close());
  }

  /** Closes the connection, unless it has been used since it was renewed. Raises nothing. */
  comeToRest(): void {
    const connection = this.#connection;
    if (connection === undefined || !this.#isQuiet()) return;
    try {
      const end = connection.events.last();
      this.#rest = { epoch: this.#renewedEpoch, end, footprint: "unknown" };
      this.#connection = undefined;
      this.#appends = 0;
      connection.db.close();
      this.#rest = { ...this.#rest, footprint: footprintOf(this.#files) };
    } catch {
      // The log holds what could not be written back, and the next renewal looks again.
    }
  }

  /** Raises STORE_CORRUPT when the journal holds less than what was sealed, or something else. */
  assertSealed(seal: Seal): void {
    this.#try("read", () => assertSealed(this.#use().events, seal, this.#files.where));
  }

  /** A number that changes when another connection has committed. */
  dataVersion(): number {
    return this.#try("read", () => {
      const { data_version: version } = this.#use().dataVersion.get() ?? {};
      return Number(version);
    });
  }

  *#readFrom(afterSeq: number): Generator<JournalEvent, void, undefined> {
    this.#readers += 1;
    try {
      yield* this.#use().events.read(afterSeq);
    } finally {
      this.#readers -= 1;
    }
  }

  /** The connection, made anew after a rest. */
  #use(): JournalConnection {
    this.#quietRenewals = 0;
    this.#connection ??= this.#wakeUp();
    return this.#connection;
  }

  /** Whether it rests and nobody has written into it since. */
  #isAsItWasLeft(): boolean {
    return this.#rest !== undefined && this.#rest.footprint === footprintOf(this.#files);
  }

  #isQuiet(): boolean {
    const isInUse = this.#readers > 0 || this.#retrying !== undefined;
    return this.#quietRenewals >= QUIET_RENEWALS && !isInUse && !this.#closed.signal.aborted;
  }

  /** Raises STORE_CORRUPT when there is another history now than when it came to rest, though nobody has taken it over. */
  #wakeUp(): JournalConnection {
    const { where } = this.#files;
    this.#closed.signal.throwIfAborted();
    const connection = reconnect(this.#files);
    if (connection === undefined) throw storeUnwritable({ ...where, problem: "it is gone" });
    const rest = this.#rest;
    return closeOnError(connection.db, () => {
      const end = connection.events.last();
      const isOther =
        rest !== undefined && (end.seq !== rest.end.seq || end.hash !== rest.end.hash);
      if (isOther && connection.lease.state().epoch === rest.epoch)
        throw corruptAfter(
          where,
          "it was replaced while its run waited",
          Math.min(end.seq, rest.end.seq),
        );
      this.#rest = undefined;
      return connection;
    });
  }

  #appendNow(batch: AppendBatch): void {
    if (this.#appends === APPENDS_BEFORE_GROWTH) this.#growLog();
    this.#appends += 1;
    const known = this.#end;
    this.#end = undefined;
    this.#end = this.#transaction(() => {
      this.#lease.assertHeldBy(batch.epoch);
      const end = this.#use().events.insert(batch.events, known ?? this.#use().events.last());
      if (batch.blobs !== undefined) this.#use().texts.addBlobs(batch.blobs);
      if (batch.head !== undefined) this.#use().texts.writeHead(batch.head);
      if (batch.events[0]?.seq === 1) this.#signOrigin();
      return end;
    });
  }

  /** Once: without room, or while another process holds the lock, the log grows with the commits. */
  #growLog(): void {
    try {
      this.#try("write", () => growLog(this.#use().db));
    } catch (error) {
      if (!isStoreBusy(error) && !isStoreFull(error)) throw error;
    }
  }

  #signOrigin(): void {
    if (this.#origins !== undefined) writeOrigin(this.#origin(), this.run, this.#origins);
  }

  #origin(): OriginPlace {
    return { db: this.#use().db, firstHash: this.#use().events.firstHash() };
  }

  #appendLater(batch: AppendBatch): Promise<void> {
    const options = { clock: this.#clock, signal: this.#closed.signal };
    this.#retrying = outlastShortage(
      () => retryWhileBusy(() => this.#appendNow(batch), options),
      this.#clock,
    ).finally(() => {
      this.#retrying = undefined;
    });
    return this.#retrying;
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
  #unsynced<Value>(work: () => Value): Value {
    this.#assertWritable();
    this.#try("write", () => setSyncing(this.#use().db, "NORMAL"));
    try {
      return this.#transaction(work);
    } finally {
      this.#try("write", () => setSyncing(this.#use().db, "FULL"));
    }
  }

  #transaction<Value>(work: () => Value): Value {
    this.#assertWritable();
    return this.#try("write", () => {
      const { db, begin, commit } = this.#use();
      begin.run();
      try {
        const value = work();
        commit.run();
        return value;
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

function emptied({ where }: RunFiles, seal: Seal): Error {
  const problem = `events 1 to ${seal.seq} are missing, which its seal says were written`;
  return storeCorrupt({ ...where, problem, firstBadSeq: 1, intactUpTo: 0 });
}
