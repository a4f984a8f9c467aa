import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { RunFiles } from "./run-files.ts";

// 2 MB of log between two checkpoints. A sync of a file that grows takes twice as long as one of a file whose
// bytes are replaced, so a log that soon begins anew serves a chain of small commits best; a checkpoint costs
// two syncs, so one every few commits would not. Measured from 125 to 2000 pages: 250 to 500 are the quickest.
export const CHECKPOINT_PAGES = 500;
const PAGE_BYTES = 4096;
/** The cache of a connection to a journal, in KiB. */
export const CACHE_KIB = 4096;
// So few pages that nearly all of a long row goes to the log before the row is taken back.
const SMALL_CACHE_PAGES = 8;
// How long the log gets between two checkpoints.
const LOG_BYTES = CHECKPOINT_PAGES * PAGE_BYTES;
// A short run, of which there may be many, ends before a reserve is worth its place.
const APPENDS_BEFORE_RESERVE = 8;
// Looking at a file takes 2 us, and a commit of a step 160.
const APPENDS_BETWEEN_LOOKS = 4;
// Written within 1 to 2 ms, and enough for some forty steps of agents.
const RESERVE_BYTES = LOG_BYTES / 4;

/**
 * What the log of a connection is longer than its commits need. A commit that lengthens a file waits for what the file
 * system notes of its length too, and for whatever others have it write down meanwhile.
 */
export class LogReserve {
  readonly #db: DatabaseSync;
  readonly #log: string;
  #appends = 0;
  /** How long the log was when its reserve was renewed. */
  #reservedBytes = 0;

  constructor(db: DatabaseSync, { journal }: RunFiles) {
    this.#db = db;
    this.#log = `${journal}-wal`;
  }

  /** Renews it when commits have lengthened the log since, unless it is as long as it gets. Raises what SQLite says. */
  renew(): void {
    const appends = this.#appends;
    this.#appends += 1;
    if (appends < APPENDS_BEFORE_RESERVE || appends % APPENDS_BETWEEN_LOOKS !== 0) return;
    const bytes = this.#logBytes();
    if (bytes <= this.#reservedBytes || bytes >= LOG_BYTES) return;
    // Tried once for each length: without room, or while another process holds the lock, the log grows with the commits.
    this.#reservedBytes = bytes;
    growLog(this.#db, RESERVE_BYTES);
    this.#reservedBytes = this.#logBytes();
  }

  #logBytes(): number {
    return statSync(this.#log, { throwIfNoEntry: false })?.size ?? 0;
  }
}

/**
 * Makes the log about `bytes` longer than its last commit needs. The text that is put in is taken back, so nobody ever
 * sees it, and a process that dies here leaves a log that ends where it ended before.
 */
function growLog(db: DatabaseSync, bytes: number): void {
  // Hexadecimal, because the column takes nothing but texts; the last pages of it stay in the cache.
  const body = `hex(zeroblob(${(bytes + SMALL_CACHE_PAGES * PAGE_BYTES) / 2}))`;
  db.exec(`PRAGMA cache_size = ${SMALL_CACHE_PAGES}`);
  try {
    db.exec(`BEGIN IMMEDIATE; UPDATE head SET body = ${body}`);
  } finally {
    if (db.isTransaction) db.exec("ROLLBACK");
    db.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
  }
}
