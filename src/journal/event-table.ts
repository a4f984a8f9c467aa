import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { JournalEvent } from "../contracts/events/event.ts";
import type { NewEvent } from "../contracts/ports/store.ts";
import { corruptAfter, type JournalPlace } from "./errors.ts";
import type { ChainEnd, EventLog } from "./event-log.ts";
import { type EventRow, GENESIS_HASH, toEventRow, toJournalEvent } from "./hash-chain.ts";
import { asStoreError } from "./sqlite-errors.ts";

// Many rows per statement save a third of the time of an insert each; more rows save nothing further.
const ROWS_PER_INSERT = 32;
const ROWS_PER_PAGE = 256;
// What a statement takes is in memory twice: long rows are stored one by one.
const LONG_BODY_CHARS = 64 * 1024;
const PLACEHOLDERS = "(?, ?, ?, ?, ?)";

/** The events of a journal of format 1 or 2: a row each. */
export class EventTable implements EventLog {
  readonly #place: JournalPlace;
  readonly #insertOne: StatementSync;
  readonly #insertMany: StatementSync;
  readonly #selectPage: StatementSync;
  readonly #selectLast: StatementSync;
  readonly #selectHash: StatementSync;

  constructor(db: DatabaseSync, place: JournalPlace) {
    this.#place = place;
    const manyPlaceholders = Array.from({ length: ROWS_PER_INSERT }, () => PLACEHOLDERS).join();
    this.#insertOne = db.prepare(`INSERT INTO events VALUES ${PLACEHOLDERS}`);
    this.#insertMany = db.prepare(`INSERT INTO events VALUES ${manyPlaceholders}`);
    this.#selectPage = db.prepare(
      `SELECT seq, at, type, body, hash FROM events WHERE seq > ? ORDER BY seq LIMIT ${ROWS_PER_PAGE}`,
    );
    this.#selectLast = db.prepare("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1");
    this.#selectHash = db.prepare("SELECT hash FROM events WHERE seq = ?");
  }

  last(): ChainEnd {
    const { seq, hash } = this.#selectLast.get() ?? {};
    if (seq === undefined) return { seq: 0, hash: GENESIS_HASH };
    if (typeof seq === "number" && typeof hash === "string") return { seq, hash };
    throw this.#corrupt("its last event has columns of the wrong type", 0);
  }

  hashAt(seq: number): string | undefined {
    if (seq === 0) return GENESIS_HASH;
    const { hash } = this.#selectHash.get(seq) ?? {};
    return typeof hash === "string" ? hash : undefined;
  }

  firstHash(): string | undefined {
    return this.hashAt(1);
  }

  insert(events: readonly NewEvent[], last: ChainEnd): ChainEnd {
    let { seq, hash } = last;
    let values: (string | number)[] = [];
    for (const event of events) {
      seq += 1;
      if (event.seq !== seq)
        throw this.#corrupt(`event ${event.seq} came where event ${seq} belongs`, seq - 1);
      const row = toEventRow(event, hash);
      hash = row.hash;
      values = this.#insertRow(row, values);
    }
    this.#insertRest(values);
    return { seq, hash };
  }

  *read(afterSeq: number): Generator<JournalEvent, void, undefined> {
    const hash = asStoreError(this.#place, "read", () => this.hashAt(afterSeq));
    let previous = { seq: afterSeq, hash: hash ?? "" };
    for (;;) {
      const rows = asStoreError(this.#place, "read", () => this.#selectPage.all(previous.seq));
      if (hash === undefined && rows.length > 0)
        throw this.#corrupt(`event ${afterSeq} is missing`, afterSeq - 1);
      for (const row of rows) {
        const result = toJournalEvent(row, previous);
        if ("problem" in result) throw this.#corrupt(result.problem, previous.seq);
        yield result.event;
        previous = { seq: result.event.seq, hash: result.hash };
      }
      if (rows.length < ROWS_PER_PAGE) return;
    }
  }

  #insertRow(row: EventRow, values: (string | number)[]): (string | number)[] {
    if (row.body.length > LONG_BODY_CHARS) {
      this.#insertRest(values);
      this.#insertOne.run(row.seq, row.at, row.type, row.body, row.hash);
      return [];
    }
    values.push(row.seq, row.at, row.type, row.body, row.hash);
    if (values.length < ROWS_PER_INSERT * 5) return values;
    this.#insertMany.run(...values);
    return [];
  }

  #insertRest(values: readonly (string | number)[]): void {
    for (let start = 0; start < values.length; start += 5)
      this.#insertOne.run(...values.slice(start, start + 5));
  }

  #corrupt(problem: string, intactUpTo: number): Error {
    return corruptAfter(this.#place, problem, intactUpTo);
  }
}
