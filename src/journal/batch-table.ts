import { hash as digest } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { JournalEvent } from "../contracts/events/event.ts";
import type { NewEvent } from "../contracts/ports/store.ts";
import { sha256 } from "../foundation/hash.ts";
import { type BatchBody, fromBatch, toBatches } from "./batch-codec.ts";
import { corruptAfter, type JournalPlace } from "./errors.ts";
import type { ChainEnd, EventLog } from "./event-log.ts";
import { GENESIS_HASH } from "./hash-chain.ts";
import { asStoreError } from "./sqlite-errors.ts";
import type { TextTable } from "./text-table.ts";

const ROWS_PER_PAGE = 32;

type Row = { readonly [column: string]: unknown };

/** The events of a journal whose rows hold many each: what was committed together lies together. */
export class BatchTable implements EventLog {
  readonly #place: JournalPlace;
  readonly #texts: TextTable;
  readonly #insert: StatementSync;
  readonly #selectPage: StatementSync;
  readonly #selectLast: StatementSync;
  readonly #selectBefore: StatementSync;
  readonly #selectHash: StatementSync;
  readonly #selectFirst: StatementSync;

  constructor(db: DatabaseSync, place: JournalPlace, texts: TextTable) {
    this.#place = place;
    this.#texts = texts;
    this.#insert = db.prepare("INSERT INTO batches VALUES (?, ?, ?)");
    this.#selectPage = db.prepare(
      `SELECT seq, body, hash FROM batches WHERE seq > ? ORDER BY seq LIMIT ${ROWS_PER_PAGE}`,
    );
    this.#selectLast = db.prepare("SELECT seq, hash FROM batches ORDER BY seq DESC LIMIT 1");
    this.#selectBefore = db.prepare(
      "SELECT seq, hash FROM batches WHERE seq <= ? ORDER BY seq DESC LIMIT 1",
    );
    this.#selectHash = db.prepare("SELECT hash FROM batches WHERE seq = ?");
    this.#selectFirst = db.prepare(
      // What lies before the first event is read by nobody: its hash must not speak for the run.
      "SELECT hash FROM batches WHERE seq > 0 ORDER BY seq LIMIT 1",
    );
  }

  last(): ChainEnd {
    return this.#toEnd(this.#selectLast.get());
  }

  hashAt(seq: number): string | undefined {
    return seq === 0 ? GENESIS_HASH : hashIn(this.#selectHash.get(seq));
  }

  firstHash(): string | undefined {
    return hashIn(this.#selectFirst.get());
  }

  insert(events: readonly NewEvent[], last: ChainEnd): ChainEnd {
    for (const [index, { seq }] of events.entries()) {
      const wanted = last.seq + index + 1;
      if (seq === wanted) continue;
      throw corruptAfter(
        this.#place,
        `event ${seq} came where event ${wanted} belongs`,
        wanted - 1,
      );
    }
    let end = last;
    const keep = (hash: string, text: string) => this.#texts.keep(hash, text);
    for (const { lastSeq: seq, body } of toBatches(events, keep)) {
      const hash = hashRow({ seq, body }, end.hash);
      this.#insert.run(seq, body, hash);
      end = { seq, hash };
    }
    return end;
  }

  *read(afterSeq: number): Generator<JournalEvent, void, undefined> {
    let end = asStoreError(this.#place, "read", () => this.#endBefore(afterSeq));
    for (;;) {
      const rows = asStoreError(this.#place, "read", () => this.#selectPage.all(end.seq));
      for (const row of rows) {
        const read = asStoreError(this.#place, "read", () => this.#readRow(row, end));
        for (const event of read.events) if (event.seq > afterSeq) yield event;
        end = read.end;
      }
      if (rows.length < ROWS_PER_PAGE) return;
    }
  }

  #endBefore(seq: number): ChainEnd {
    // What lies before the first event cannot be the beginning of a chain.
    return this.#toEnd(seq === 0 ? undefined : this.#selectBefore.get(seq));
  }

  #readRow(
    { seq, body, hash }: Row,
    previous: ChainEnd,
  ): { readonly events: readonly JournalEvent[]; readonly end: ChainEnd } {
    const wanted = previous.seq + 1;
    const corrupt = (problem: string) => corruptAfter(this.#place, problem, previous.seq);
    if (typeof seq !== "number" || !isBody(body) || typeof hash !== "string")
      throw corrupt(`the row of event ${wanted} has columns of the wrong type`);
    // Only the hash says that a body is what was once written, so it is looked at first.
    if (hashRow({ seq, body }, previous.hash) !== hash)
      throw corrupt(`the events from ${wanted} to ${seq} do not match their hash`);
    const events = fromBatch(body, (text) => this.#texts.kept(text));
    if (events === undefined) throw corrupt(`the events from ${wanted} to ${seq} cannot be read`);
    const isWhole =
      events.length === seq - previous.seq &&
      events.every((event, index) => event.seq === wanted + index);
    if (!isWhole) throw corrupt(`event ${wanted} is missing`);
    return { events, end: { seq, hash } };
  }

  #toEnd(row: Row | undefined): ChainEnd {
    if (row === undefined) return { seq: 0, hash: GENESIS_HASH };
    const { seq, hash } = row;
    if (typeof seq === "number" && typeof hash === "string") return { seq, hash };
    throw corruptAfter(this.#place, "its last events have columns of the wrong type", 0);
  }
}

function hashIn(row: Row | undefined): string | undefined {
  const { hash } = row ?? {};
  return typeof hash === "string" ? hash : undefined;
}

function isBody(value: unknown): value is BatchBody {
  return typeof value === "string" || value instanceof Uint8Array;
}

/** SHA-256 over the hash of the row before and all other columns. */
function hashRow(
  { seq, body }: { readonly seq: number; readonly body: BatchBody },
  previousHash: string,
): string {
  const before = `${previousHash} ${seq} `;
  if (typeof body === "string") return sha256(before + body);
  return digest("sha256", Buffer.concat([Buffer.from(before), body]), "hex");
}
