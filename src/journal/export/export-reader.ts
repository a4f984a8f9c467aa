/**
 * Owns: telling an intact export from anything else, line by line, in bounded memory.
 * Does not own: where the bytes come from, what becomes of the rows (ExportSink).
 * I1: a sink may keep what it was given only after `end` has returned. I2: `end` returns for what exportLines
 * has written and for nothing else; whatever is cut off, altered or moved raises FILE_EXPORT_* before.
 */
import { createHash } from "node:crypto";
import type { z } from "zod";
import { EVENT_FORMAT_VERSION, type JournalEvent } from "../../contracts/event.ts";
import { sha256 } from "../../foundation/hash.ts";
import { exportDamaged, exportTooLarge, exportVersionUnknown } from "../errors.ts";
import { type EventRow, GENESIS_HASH, toJournalEvent } from "../hash-chain.ts";
import {
  EXPORT_VERSION,
  type ExportHeader,
  type ExportText,
  type ExportTrailer,
  headerSchema,
  lineSchema,
  versionSchema,
} from "./export-format.ts";

/** Takes the rows of an export in the order in which they stand there. */
export interface ExportSink {
  begin(header: ExportHeader): void;
  text(text: ExportText): void;
  event(row: EventRow, event: JournalEvent): void;
}

// No line that Troupe writes comes near: texts of events have at most 1 MiB, cassettes 16 MiB.
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** Reads one export from the bytes that it is given. */
export class ExportReader {
  readonly #file: string;
  readonly #sink: ExportSink;
  readonly #digest = createHash("sha256");
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #parts: Uint8Array[] = [];
  #partBytes = 0;
  #header: ExportHeader | undefined;
  #trailer: ExportTrailer | undefined;
  #texts = 0;
  #last: { readonly seq: number; readonly hash: string } = { seq: 0, hash: GENESIS_HASH };

  /** `file` names the export in errors. */
  constructor(file: string, sink: ExportSink) {
    this.#file = file;
    this.#sink = sink;
  }

  /** Takes the next bytes. Raises FILE_EXPORT_* errors and what the sink raises. */
  push(bytes: Uint8Array): void {
    let rest = bytes;
    for (let at = rest.indexOf(LINE_FEED); at >= 0; at = rest.indexOf(LINE_FEED)) {
      this.#keep(rest.subarray(0, at + 1));
      this.#takeLine(Buffer.concat(this.#parts));
      this.#parts = [];
      this.#partBytes = 0;
      rest = rest.subarray(at + 1);
    }
    if (rest.length > 0) this.#keep(rest);
  }

  /** There are no more bytes. Returns what was read; raises FILE_EXPORT_DAMAGED unless it is whole. */
  end(): { readonly header: ExportHeader; readonly trailer: ExportTrailer } {
    if (this.#partBytes > 0 || this.#header === undefined || this.#trailer === undefined)
      throw this.#damaged("its end is missing");
    return { header: this.#header, trailer: this.#trailer };
  }

  #keep(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#partBytes += bytes.length;
    if (this.#partBytes > MAX_LINE_BYTES)
      throw exportTooLarge({ file: this.#file, what: "a line", limitBytes: MAX_LINE_BYTES });
  }

  #takeLine(bytes: Uint8Array): void {
    if (this.#trailer !== undefined) throw this.#damaged("something follows its end");
    const value = this.#parse(bytes);
    if (this.#header === undefined) {
      this.#header = this.#readHeader(value);
      this.#sink.begin(this.#header);
    } else {
      this.#takeEntry(value);
    }
    this.#digest.update(bytes);
  }

  #readHeader(value: unknown): ExportHeader {
    const version = versionSchema.safeParse(value);
    if (!version.success) throw this.#damaged("it does not begin like one");
    this.#assertKnown("export", version.data.v, EXPORT_VERSION);
    const header = headerSchema.safeParse(value);
    if (!header.success) throw this.#damaged("its first line has another form");
    this.#assertKnown("event", header.data.eventFormat, EVENT_FORMAT_VERSION);
    return header.data;
  }

  #takeEntry(value: unknown): void {
    const parsed = lineSchema.safeParse(value);
    if (!parsed.success) throw this.#damaged("a line of it has another form");
    const entry: z.infer<typeof lineSchema> = parsed.data;
    if ("event" in entry) this.#takeEvent(entry.event);
    else if ("text" in entry) this.#takeText(entry.text);
    else this.#takeTrailer(entry.end);
  }

  #takeEvent(row: EventRow): void {
    const result = toJournalEvent({ ...row }, this.#last);
    if ("problem" in result) throw this.#damaged(result.problem);
    this.#last = { seq: row.seq, hash: row.hash };
    this.#sink.event(row, result.event);
  }

  #takeText(text: ExportText): void {
    if (sha256(text.text) !== text.hash) throw this.#damaged("a text does not match its hash");
    this.#texts += 1;
    this.#sink.text(text);
  }

  #takeTrailer(end: ExportTrailer): void {
    const { seq, hash } = end.seal;
    const isComplete =
      end.events === this.#last.seq &&
      end.texts === this.#texts &&
      seq === this.#last.seq &&
      hash === this.#last.hash;
    if (!isComplete) throw this.#damaged("it holds something else than its end says");
    if (this.#digest.copy().digest("hex") !== end.sha256)
      throw this.#damaged("it does not match its hash");
    this.#trailer = end;
  }

  #parse(bytes: Uint8Array): unknown {
    try {
      return JSON.parse(this.#decoder.decode(bytes));
    } catch (error) {
      throw this.#damaged("a line of it is no JSON", error);
    }
  }

  #assertKnown(what: string, found: number, known: number): void {
    if (found !== known) throw exportVersionUnknown({ file: this.#file, what, found, known });
  }

  #damaged(problem: string, cause?: unknown): Error {
    return exportDamaged({ file: this.#file, problem }, cause === undefined ? {} : { cause });
  }
}
