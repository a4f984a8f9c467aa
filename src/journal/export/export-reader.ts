/**
 * Owns: telling an intact export from anything else, line by line, in bounded memory.
 * Does not own: where the bytes come from, what becomes of the rows (ExportSink).
 * I1: a sink may keep what it was given only after `end` has returned. I2: `end` returns for what exportLines
 * has written and for nothing else; whatever is cut off, altered or moved raises FILE_EXPORT_* before.
 */
import { exportDamaged, exportTooLarge } from "../errors.ts";
import { type ExportLine, ExportSection } from "./export-section.ts";
import type { ExportSink } from "./export-sink.ts";

// No line that Troupe writes comes near: texts of events have at most 1 MiB, cassettes 16 MiB.
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** Reads one export from the bytes that it is given. */
export class ExportReader {
  readonly #file: string;
  readonly #sink: ExportSink;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #parts: Uint8Array[] = [];
  #partBytes = 0;
  /** The run whose lines are read now. */
  #section: ExportSection | undefined;
  /** Ids of the runs that are to follow; undefined before the first. */
  #awaited: string[] | undefined;

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

  /** There are no more bytes. Raises FILE_EXPORT_DAMAGED unless all was there. */
  end(): void {
    const isComplete = this.#section === undefined && this.#awaited?.length === 0;
    if (this.#partBytes > 0 || !isComplete) throw this.#damaged("its end is missing");
  }

  #keep(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#partBytes += bytes.length;
    if (this.#partBytes > MAX_LINE_BYTES)
      throw exportTooLarge({ file: this.#file, what: "a line", limitBytes: MAX_LINE_BYTES });
  }

  #takeLine(bytes: Uint8Array): void {
    if (this.#section === undefined && this.#awaited?.length === 0)
      throw this.#damaged("something follows its end");
    const line = { value: this.#parse(bytes), bytes };
    if (this.#section === undefined) this.#begin(line);
    else this.#section.take(line);
    const trailer = this.#section?.trailer;
    if (trailer === undefined) return;
    this.#section = undefined;
    this.#sink.end(trailer);
  }

  #begin(line: ExportLine): void {
    this.#section = new ExportSection(this.#file, this.#sink, line);
    const { header } = this.#section;
    if (this.#awaited === undefined) this.#awaited = [...(header.below ?? [])];
    else if (this.#awaited.shift() !== header.run || header.below !== undefined)
      throw this.#damaged("it holds other runs than its beginning says");
    this.#sink.begin(header);
  }

  #parse(bytes: Uint8Array): unknown {
    try {
      return JSON.parse(this.#decoder.decode(bytes));
    } catch (error) {
      throw this.#damaged("a line of it is no JSON", error);
    }
  }

  #damaged(problem: string, cause?: unknown): Error {
    return exportDamaged({ file: this.#file, problem }, cause === undefined ? {} : { cause });
  }
}
