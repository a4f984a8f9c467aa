import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { JournalEvent } from "../contracts/events/event.ts";
import type { NewEvent } from "../contracts/ports/store.ts";
import { sha256 } from "../foundation/hash.ts";
import { isRecord } from "../foundation/json.ts";
import { deflateRow } from "./deflate-row.ts";

/** Events in a row of a journal, as they lie there: JSON, deflated (RFC 1951) where that is shorter. */
export type BatchBody = string | Uint8Array;

/** Consecutive events that share a row. */
export interface Batch {
  readonly lastSeq: number;
  readonly body: BatchBody;
}

/** Keeps a text of an event under its hash. */
export type KeepText = (hash: string, text: string) => void;

// A row that fills a page, once deflated, costs least; whoever reads one event reads the whole row.
const CHARS_PER_ROW = 12 * 1024;
// Below that a write is one page anyhow, and deflating takes longer than the page does.
const DEFLATED_CHARS = 1024;
// Prompts and answers stand in several events each: a longer text is kept once.
const LONG_TEXT_CHARS = 512;
// Whoever reads somebody else's journal makes no more of a row than a writer has put in; and a commit waits for it.
const MOST_DEFLATED_CHARS = 1024 * 1024;
// Of a sign UTF-8 makes three bytes at the most, for each unit of its length.
const MOST_INFLATED_BYTES = 3 * MOST_DEFLATED_CHARS;
// Texts are short where they begin with this: it stands for the text with the number behind it.
const MARK = "\u0001";
// A commit of a few steps; for more it pays to make codes of their own.
const SMALL_ROW_CHARS = 4096;
// Rows are small: a small window holds all of one, and is quick to set up.
const DEFLATING = { level: 1, windowBits: 14, memLevel: 6 };

/** The rows that events make. Texts that are long come to `keep`, their hashes stay in the row. */
export function* toBatches(events: readonly NewEvent[], keep: KeepText): Generator<Batch> {
  let parts: string[] = [];
  let chars = 0;
  let lastSeq = 0;
  for (const event of events) {
    const part = toPart(event, keep);
    if (parts.length > 0 && chars + part.length > CHARS_PER_ROW) {
      yield { lastSeq, body: toBody(parts) };
      parts = [];
      chars = 0;
    }
    parts.push(part);
    chars += part.length;
    lastSeq = event.seq;
  }
  if (parts.length > 0) yield { lastSeq, body: toBody(parts) };
}

/**
 * The events of a row whose hash is known to be right; undefined when it was not written by `toBatches`. `textOf`
 * gives the text of a hash.
 */
export function fromBatch(
  body: BatchBody,
  textOf: (hash: string) => string,
): readonly JournalEvent[] | undefined {
  const parts = parseBody(body);
  if (!Array.isArray(parts)) return undefined;
  const events: JournalEvent[] = [];
  for (const part of parts) {
    const event: unknown = Array.isArray(part) ? restore(part, textOf) : part;
    if (!isWrittenEvent(event)) return undefined;
    events.push(event);
  }
  return events;
}

// An event is an object; one with texts elsewhere is an array of itself and their hashes.
function toPart(event: NewEvent, keep: KeepText): string {
  const json = JSON.stringify(event);
  if (json.length < LONG_TEXT_CHARS) return json;
  const hashes: string[] = [];
  const lean = mapTexts(event, (text) => {
    if (text.length < LONG_TEXT_CHARS || !text.isWellFormed())
      return text.startsWith(MARK) ? `${MARK}${text}` : text;
    const hash = sha256(text);
    keep(hash, text);
    return `${MARK}${hashes.push(hash) - 1}`;
  });
  return hashes.length === 0 ? json : JSON.stringify([lean, ...hashes]);
}

function restore([lean, ...hashes]: readonly unknown[], textOf: (hash: string) => string): unknown {
  return mapTexts(lean, (text) => {
    if (!text.startsWith(MARK)) return text;
    if (text.startsWith(MARK, 1)) return text.slice(1);
    const hash = hashes[Number(text.slice(1))];
    return typeof hash === "string" ? textOf(hash) : text;
  });
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((member) => mapTexts(member, map));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, mapTexts(member, map)]),
  );
}

function toBody(parts: readonly string[]): BatchBody {
  const json = `[${parts.join()}]`;
  if (json.length < DEFLATED_CHARS || json.length > MOST_DEFLATED_CHARS) return json;
  const isSmall = json.length <= SMALL_ROW_CHARS;
  const deflated = isSmall ? deflateRow(json) : deflateRawSync(json, DEFLATING);
  return deflated.length < json.length ? deflated : json;
}

function parseBody(body: BatchBody): unknown {
  try {
    return JSON.parse(typeof body === "string" ? body : inflate(body));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError || isZlibError(error))
      return undefined;
    throw error;
  }
}

function inflate(body: Uint8Array): string {
  return inflateRawSync(body, { maxOutputLength: MOST_INFLATED_BYTES }).toString("utf8");
}

function isZlibError(error: unknown): boolean {
  const { code } = isRecord(error) ? error : { code: undefined };
  return typeof code === "string" && (code.startsWith("Z_") || code === "ERR_BUFFER_TOO_LARGE");
}

// The chain has shown that this is what a writer of this format stored; a second look at every field
// would cost more than the reading itself.
function isWrittenEvent(value: unknown): value is JournalEvent {
  return isRecord(value) && typeof value["seq"] === "number" && typeof value["at"] === "number";
}
