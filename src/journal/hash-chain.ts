import type { JournalEvent } from "../contracts/events/event.ts";
import type { NewEvent } from "../contracts/ports/store.ts";
import { sha256 } from "../foundation/hash.ts";
import { isRecord } from "../foundation/json.ts";

/** One event as it is stored. */
export interface EventRow {
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  /** JSON of the event without seq, at and type. */
  readonly body: string;
  /** SHA-256 over the hash of the row before and all other columns. */
  readonly hash: string;
}

/** What the first row is chained to. */
export const GENESIS_HASH = "0".repeat(64);

/** The row of an event that follows the row with `previousHash`. */
export function toEventRow(event: NewEvent, previousHash: string): EventRow {
  const { seq, at, type, ...data } = event;
  const body = JSON.stringify(data);
  return { seq, at, type, body, hash: hashRow({ seq, at, type, body }, previousHash) };
}

/**
 * The event of the row that must follow `previous`, or what is wrong with it. Only the hash says that a
 * body is what was once written, so a body is parsed after its hash is known to be right.
 */
export function toJournalEvent(
  row: { readonly [column: string]: unknown },
  previous: { readonly seq: number; readonly hash: string },
): { readonly event: JournalEvent; readonly hash: string } | { readonly problem: string } {
  const { seq, at, type, body, hash } = row;
  const wantedSeq = previous.seq + 1;
  if (seq !== wantedSeq) return { problem: `event ${wantedSeq} is missing` };
  if (typeof at !== "number" || typeof type !== "string" || typeof body !== "string")
    return { problem: `event ${seq} has columns of the wrong type` };
  const rightHash = hashRow({ seq, at, type, body }, previous.hash);
  if (hash !== rightHash) return { problem: `event ${seq} does not match its hash` };
  const event = parseBody({ seq, at, type }, body);
  return event === undefined
    ? { problem: `event ${seq} is no JSON object` }
    : { event, hash: rightHash };
}

function hashRow(row: Omit<EventRow, "hash">, previousHash: string): string {
  return sha256(`${previousHash} ${row.seq} ${row.at} ${row.type} ${row.body}`);
}

function parseBody(
  position: { readonly seq: number; readonly at: number; readonly type: string },
  body: string,
): JournalEvent | undefined {
  try {
    const data: unknown = JSON.parse(body);
    if (!isRecord(data)) return undefined;
    const { seq, at, type } = position;
    const event: unknown = { type, ...data, seq, at };
    return isWrittenEvent(event) ? event : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

// The chain has shown that this is what a writer of this format stored; a second look at every field
// would cost more than the reading itself.
function isWrittenEvent(value: unknown): value is JournalEvent {
  return isRecord(value);
}
