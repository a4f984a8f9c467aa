import type { DatabaseSync, StatementSync } from "node:sqlite";
import { sha256 } from "../foundation/hash.ts";
import { type Json, toJson } from "../foundation/json.ts";
import { type JournalPlace, storeCorrupt } from "./errors.ts";
import { BATCHED_FORMAT, readFormat } from "./schema.ts";

const MOST_RECENT_CHARS = 1024 * 1024;

/** Where a query finds the texts that events name by their hashes. */
export function namedTexts(db: DatabaseSync): string {
  return readFormat(db) >= BATCHED_FORMAT
    ? "FROM texts NOT INDEXED WHERE named <> 0"
    : "FROM blobs NOT INDEXED";
}

/** The head and the blobs of one open journal: texts with their hashes. Errors of SQLite come out as they are. */
export class TextTable {
  readonly #place: JournalPlace;
  readonly #selectHead: StatementSync;
  readonly #replaceHead: StatementSync;
  readonly #selectBlob: StatementSync;
  readonly #selectBlobs: StatementSync;
  readonly #insertBlob: StatementSync;
  readonly #keep: StatementSync | undefined;
  /** Texts of events that were read last. */
  readonly #recent = new Map<string, string>();
  #recentChars = 0;

  constructor(db: DatabaseSync, place: JournalPlace) {
    const isBatched = readFormat(db) >= BATCHED_FORMAT;
    const table = isBatched ? "texts" : "blobs";
    this.#place = place;
    this.#selectHead = db.prepare("SELECT body, hash FROM head WHERE id = 1");
    this.#replaceHead = db.prepare("UPDATE head SET body = ?, hash = ? WHERE id = 1");
    this.#selectBlob = db.prepare(`SELECT body, hash FROM ${table} WHERE hash = ?`);
    this.#selectBlobs = db.prepare(`SELECT body, hash FROM ${table} NOT INDEXED`);
    // A text that an event holds already may be named by a later one.
    this.#insertBlob = db.prepare(
      isBatched
        ? "INSERT INTO texts VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET named = 1 WHERE named = 0"
        : "INSERT OR IGNORE INTO blobs VALUES (?, ?)",
    );
    this.#keep = isBatched ? db.prepare("INSERT OR IGNORE INTO texts VALUES (?, ?, 0)") : undefined;
  }

  head(): Json | undefined {
    // The row is there from the beginning: one that cannot be found is damage, not an empty head.
    const row = this.#selectHead.get() ?? {};
    const { body, hash } = row;
    if (body === null && hash === null) return undefined;
    const parsed: unknown = JSON.parse(this.#verified(row, "its head"));
    return toJson(parsed, "the head");
  }

  writeHead(head: Json): void {
    const body = JSON.stringify(head);
    this.#replaceHead.run(body, sha256(body));
  }

  blob(hash: string): string | undefined {
    const row = this.#selectBlob.get(hash) ?? this.#search(hash);
    return row === undefined ? undefined : this.#verified(row, `its blob ${hash}`);
  }

  /** Raises STORE_CORRUPT for a text that is not the one of its hash. */
  addBlobs(blobs: { readonly [hash: string]: string }): void {
    for (const [hash, text] of Object.entries(blobs)) {
      const body = text.toWellFormed();
      this.#insertBlob.run(hash, this.#verified({ body, hash }, `the blob ${hash}`));
    }
  }

  /** Keeps a text that events hold, under its hash. */
  keep(hash: string, text: string): void {
    this.#keep?.run(hash, text);
  }

  /** A text that events hold. Raises STORE_CORRUPT when it is not there. */
  kept(hash: string): string {
    const recent = this.#recent.get(hash);
    if (recent !== undefined) return recent;
    const text = this.#verified(this.#selectBlob.get(hash) ?? {}, `its text ${hash}`);
    this.#remember(hash, text);
    return text;
  }

  // What one event holds, the next ones often hold too.
  #remember(hash: string, text: string): void {
    this.#recentChars += text.length;
    if (this.#recentChars > MOST_RECENT_CHARS) {
      this.#recent.clear();
      this.#recentChars = text.length;
    }
    this.#recent.set(hash, text);
  }

  // A damaged key hides its text. Asking for a text that was never stored is rare, so a miss may be slow:
  // all texts are looked at, and one that is not that of its key is the damage.
  #search(hash: string): { readonly [column: string]: unknown } | undefined {
    for (const row of this.#selectBlobs.iterate()) {
      const { hash: key } = row;
      this.#verified(row, `its blob ${key}`);
      if (key === hash) return row;
    }
    return undefined;
  }

  #verified(row: { readonly [column: string]: unknown }, what: string): string {
    const { body, hash } = row;
    if (typeof body === "string" && sha256(body) === hash) return body;
    const problem = `${what} does not match its hash`;
    // The events have a chain of their own: reading them says how far they are intact.
    throw storeCorrupt({ ...this.#place, problem, firstBadSeq: 1, intactUpTo: 0 });
  }
}
