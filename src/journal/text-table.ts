import type { DatabaseSync, StatementSync } from "node:sqlite";
import { sha256 } from "../foundation/hash.ts";
import { type Json, toJson } from "../foundation/json.ts";
import { type JournalPlace, storeCorrupt } from "./errors.ts";

/** The head and the blobs of one open journal: texts with their hashes. Errors of SQLite come out as they are. */
export class TextTable {
  readonly #place: JournalPlace;
  readonly #selectHead: StatementSync;
  readonly #replaceHead: StatementSync;
  readonly #selectBlob: StatementSync;
  readonly #selectBlobs: StatementSync;
  readonly #insertBlob: StatementSync;

  constructor(db: DatabaseSync, place: JournalPlace) {
    this.#place = place;
    this.#selectHead = db.prepare("SELECT body, hash FROM head WHERE id = 1");
    this.#replaceHead = db.prepare("UPDATE head SET body = ?, hash = ? WHERE id = 1");
    this.#selectBlob = db.prepare("SELECT body, hash FROM blobs WHERE hash = ?");
    this.#selectBlobs = db.prepare("SELECT body, hash FROM blobs NOT INDEXED");
    this.#insertBlob = db.prepare("INSERT OR IGNORE INTO blobs VALUES (?, ?)");
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
