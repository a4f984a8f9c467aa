import { createHash } from "node:crypto";
import type { z } from "zod";
import { EVENT_FORMAT_VERSION } from "../../contracts/events/event.ts";
import { sha256 } from "../../foundation/hash.ts";
import { exportDamaged, exportVersionUnknown } from "../errors.ts";
import { type EventRow, GENESIS_HASH, toJournalEvent } from "../hash-chain.ts";
import {
  EXPORT_VERSION,
  type ExportHeader,
  type ExportText,
  type ExportTrailer,
  headerSchema,
  LONE_EXPORT_VERSION,
  lineSchema,
  versionSchema,
} from "./export-format.ts";
import type { ExportSink } from "./export-sink.ts";

/** Reads the lines of one run in an export, and checks each against the ones before. */
export class ExportSection {
  readonly header: ExportHeader;
  readonly #file: string;
  readonly #sink: ExportSink;
  readonly #digest = createHash("sha256");
  #trailer: ExportTrailer | undefined;
  #texts = 0;
  #last: { readonly seq: number; readonly hash: string } = { seq: 0, hash: GENESIS_HASH };

  /** Takes the first line. `file` names the export in errors. Raises FILE_EXPORT_* errors. */
  constructor(file: string, sink: ExportSink, first: ExportLine) {
    this.#file = file;
    this.#sink = sink;
    this.header = this.#readHeader(first.value);
    this.#digest.update(first.bytes);
  }

  /** The last line, once it was taken. */
  get trailer(): ExportTrailer | undefined {
    return this.#trailer;
  }

  /** Takes the next line. Raises FILE_EXPORT_DAMAGED and what the sink raises. */
  take({ value, bytes }: ExportLine): void {
    this.#takeEntry(value);
    this.#digest.update(bytes);
  }

  #readHeader(value: unknown): ExportHeader {
    const version = versionSchema.safeParse(value);
    if (!version.success) throw this.#damaged("it does not begin like one");
    const { v } = version.data;
    if (v !== LONE_EXPORT_VERSION) this.#assertKnown("export", v, EXPORT_VERSION);
    const header = headerSchema.safeParse(value);
    if (!header.success || (v === EXPORT_VERSION) !== (header.data.below !== undefined))
      throw this.#damaged("its first line has another form");
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
    this.#sink.event(result.event);
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

  #assertKnown(what: string, found: number, known: number): void {
    if (found !== known) throw exportVersionUnknown({ file: this.#file, what, found, known });
  }

  #damaged(problem: string): Error {
    return exportDamaged({ file: this.#file, problem });
  }
}

/** A line of an export as it was read, and its bytes with its end. */
export interface ExportLine {
  readonly value: unknown;
  readonly bytes: Uint8Array;
}
