import { type JournalEvent, toWireEvent } from "../../contracts/events/event.ts";
import { isJsonArray, type Json, toJson } from "../../foundation/json.ts";

/** Texts that take more bytes in UTF-8 than this are cut in JSON output. */
export const MAX_TEXT_BYTES = 256 * 1024;

// No text of a line with fewer UTF-16 units than this can be too long.
const MAX_UTF8_BYTES_PER_UNIT = 3;

/** Progress as one JSON event per line. */
export interface JsonView {
  show(event: JournalEvent): void;
}

export interface JsonViewOptions {
  /** Takes one line without its end. */
  write(line: string): void;
  readonly run: string;
  /** Also prints `operation-*` events (`--json=all`). Defaults to false. */
  readonly showsOperations?: boolean;
}

/** A view that writes every event in its public form; `seq` has gaps where operations are left out. */
export function createJsonView({ write, run, showsOperations = false }: JsonViewOptions): JsonView {
  return {
    show: (event) => {
      if (showsOperations || !event.type.startsWith("operation-")) write(toJsonLine(run, event));
    },
  };
}

/** An event as one line of JSON; texts that are too long are `{ text, truncated, ref }`. */
export function toJsonLine(run: string, event: JournalEvent): string {
  const wire = toWireEvent(run, event);
  const line = JSON.stringify(wire);
  if (line.length * MAX_UTF8_BYTES_PER_UNIT <= MAX_TEXT_BYTES) return line;
  return JSON.stringify(cutTexts(toJson(wire, `event ${event.seq}`), `seq:${event.seq}`));
}

/** `ref` names the event and the way to the text inside of it: `seq:12/result/output`. */
function cutTexts(value: Json, ref: string): Json {
  if (typeof value === "string") return cutText(value, ref);
  if (value === null || typeof value !== "object") return value;
  if (isJsonArray(value)) return value.map((item, index) => cutTexts(item, `${ref}/${index}`));
  // Entries, since an assignment to a key `__proto__` would not add it.
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, cutTexts(member, `${ref}/${key}`)]),
  );
}

function cutText(text: string, ref: string): Json {
  if (text.length * MAX_UTF8_BYTES_PER_UNIT <= MAX_TEXT_BYTES) return text;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= MAX_TEXT_BYTES) return text;
  // A decoder in stream mode keeps back what is left of a character at the cut.
  const beginning = new TextDecoder().decode(bytes.subarray(0, MAX_TEXT_BYTES), { stream: true });
  return { text: beginning, truncated: true, ref };
}
