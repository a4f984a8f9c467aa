import type { Signal } from "../contracts/signal.ts";
import { present } from "../foundation/present.ts";
import { type GivenTexts, lineInContext } from "./given-texts.ts";
import { scanLines, skipIndent } from "./scan-lines.ts";
import {
  kindOfMarker,
  type Reading,
  readSignalText,
  refuseConfidence,
  SIGNAL_FORMS,
} from "./signal-forms.ts";

/** A signal that does not count, with what to tell its author. */
export interface RefusedSignal {
  readonly signal: Signal;
  readonly reason: string;
}

/** What a text signals. */
export interface SignalReading {
  /** In the order of the text. */
  readonly signals: readonly Signal[];
  readonly refused: readonly RefusedSignal[];
  /** The text without the lines of its signals, trimmed. */
  readonly rest: string;
  /** How many signals came before the last 1,000, and were not read. Absent: none. */
  readonly omitted?: number;
}

interface Line {
  readonly start: number;
  /** Of the first character after the indentation. */
  readonly at: number;
  readonly end: number;
}

// A line that starts with a keyword.
interface Mark {
  readonly keyword: string;
  readonly line: Line;
  /** Tags between keyword and colon. */
  readonly tags: string;
  /** Absent when the keyword stands alone: then the lines below belong to nobody. */
  readonly payloadStart?: number;
}

const CONFIDENCE_PATTERN = /^([ \t]{0,8}\[confidence=[^\]\r\n]{0,40}\][ \t]{0,8}):/;
const MAX_KEYWORD_CHARS = Math.max(...[...SIGNAL_FORMS.keys()].map((keyword) => keyword.length));
const HEAD_CHARS = 100;
const SHOWN_CHARS = 200;

const GIVEN_REFUSED = "it repeats what the agent was given";

/** How a text is read. */
export interface ReadingOptions {
  /** Words that count beside the standing ones, with a payload or alone on a line. */
  readonly markers?: readonly string[];
  /** What the author was given: what only repeats it does not count. */
  readonly given?: GivenTexts;
}

/** More signals than this in one text are a flood: only the last ones are read. */
export const MAX_SIGNALS = 1000;

/**
 * Reads the signals that the author of a text gives at the start of its lines (up to 3 spaces in), not
 * in quotes and fenced code. Time is linear in the length of the text.
 */
export function readSignals(text: string, options: ReadingOptions = {}): SignalReading {
  const { markers = [], given } = options;
  const { marks, omitted } = findMarks(
    text,
    markers.filter((marker) => marker !== ""),
  );
  const isEcho = marks.length === 0 ? () => false : echoesIn(text, given);
  const signals: Signal[] = [];
  const refused: RefusedSignal[] = [];
  const restParts: string[] = [];
  let restStart = 0;
  for (const [index, mark] of marks.entries()) {
    const payload = payloadOf(text, mark, marks[index + 1]);
    const reading = readMark(mark, payload, isEcho(mark.line));
    const kind = kindOfMarker(mark.keyword);
    if ("refused" in reading) {
      const value = payload.trim().slice(0, SHOWN_CHARS);
      refused.push({ signal: { kind, value, by: "text" }, reason: reading.refused });
    } else {
      signals.push({ kind, ...reading, by: "text" });
      restParts.push(text.slice(restStart, mark.line.start));
      restStart = afterLine(text, mark.line);
    }
  }
  restParts.push(text.slice(restStart));
  const rest = restParts.join("").trim();
  return { signals, refused, ...(omitted === 0 ? {} : { omitted }), rest };
}

function echoesIn(text: string, given: GivenTexts | undefined): (line: Line) => boolean {
  if (given === undefined) return () => false;
  const isWhole = given.isWhole(text);
  return ({ at, end }) => isWhole || given.hasLine(lineInContext(text, at, end));
}

function payloadOf(text: string, mark: Mark, next: Mark | undefined): string {
  if (mark.payloadStart === undefined) return "";
  return text.slice(mark.payloadStart, next?.line.start ?? text.length);
}

function readMark({ keyword, tags }: Mark, payload: string, isEcho: boolean): Reading {
  if (isOwnWords(payload)) return { refused: OWN_WORDS_REFUSED };
  if (isEcho) return { refused: GIVEN_REFUSED };
  return (SIGNAL_FORMS.get(keyword) ?? readSignalText)(tags + payload);
}

interface FoundMarks {
  readonly marks: readonly Mark[];
  /** How many came before them. */
  readonly omitted: number;
}

function findMarks(text: string, markers: readonly string[]): FoundMarks {
  const marks: Mark[] = [];
  let found = 0;
  scanLines(text, (start, end, kind) => {
    if (kind !== "plain" || start === end) return;
    const at = skipIndent(text, start, end);
    const line = { start, at, end };
    const mark = readMarker(text, line, markers) ?? readKeyword(text, line);
    if (mark === undefined) return;
    found += 1;
    marks.push(mark);
    if (marks.length >= MAX_SIGNALS * 2) marks.splice(0, MAX_SIGNALS);
  });
  const last = marks.slice(-MAX_SIGNALS);
  return { marks: last, omitted: found - last.length };
}

function readMarker(text: string, line: Line, markers: readonly string[]): Mark | undefined {
  for (const marker of markers) {
    if (!text.startsWith(marker, line.at)) continue;
    const after = line.at + marker.length;
    if (after > line.end) continue;
    if (text[after] === ":") return { keyword: marker, tags: "", line, payloadStart: after + 1 };
    if (text.slice(after, line.end).trim() === "") return { keyword: marker, tags: "", line };
  }
  return undefined;
}

function readKeyword(text: string, line: Line): Mark | undefined {
  const after = keywordEnd(text, line);
  const keyword = text.slice(line.at, after);
  if (!SIGNAL_FORMS.has(keyword)) return undefined;
  if (text[after] === ":") return { keyword, tags: "", line, payloadStart: after + 1 };
  if (keyword !== "DONE") return undefined;
  const head = text.slice(after, Math.min(line.end, after + HEAD_CHARS));
  const [whole = "", tags] = CONFIDENCE_PATTERN.exec(head) ?? [];
  if (tags === undefined) return undefined;
  return { keyword, tags, line, payloadStart: after + whole.length };
}

function keywordEnd(text: string, line: Line): number {
  const limit = line.at + MAX_KEYWORD_CHARS;
  let after = line.at;
  while (after < limit && isKeywordCode(text.charCodeAt(after))) after += 1;
  return after;
}

// A to Z and underscore.
function isKeywordCode(code: number): boolean {
  return (code >= 65 && code <= 90) || code === 95;
}

function afterLine(text: string, line: Line): number {
  return line.end + (text.startsWith("\r\n", line.end) ? 2 : 1);
}

/** A signal given through a tool: taken, or refused with what to tell its author. */
type StructuredReading =
  | { readonly signal: Signal; readonly refused?: never }
  | { readonly signal: Signal; readonly refused: string };

/**
 * Checks a structured signal by the rules of its text form. Its kind is a standing one or one of
 * `markers`, in any case.
 */
export function readStructuredSignal(
  given: Omit<Signal, "by">,
  markers: readonly string[] = [],
): StructuredReading {
  const asGiven: Signal = { ...given, by: "tool" };
  const keyword = findKeyword(given.kind, markers);
  if (keyword === undefined) {
    const known = [...markers.map(kindOfMarker), ...[...SIGNAL_FORMS.keys()].map(kindOfMarker)];
    const refused = `unknown kind "${given.kind}"; known: ${[...new Set(known)].join(", ")}`;
    return { signal: asGiven, refused };
  }
  if (isOwnWords(given.value)) return { signal: asGiven, refused: OWN_WORDS_REFUSED };
  const reading = (SIGNAL_FORMS.get(keyword) ?? readSignalText)(given.value);
  if ("refused" in reading) return { signal: asGiven, refused: reading.refused };
  const refused = refuseGivenConfidence(keyword, given.confidence);
  if (refused !== undefined) return { signal: asGiven, refused };
  const { confidence = reading.confidence, reason = reading.reason } = given;
  const signal: Signal = {
    kind: kindOfMarker(keyword),
    value: reading.value,
    ...present({ reason, confidence }),
    by: "tool",
  };
  return { signal };
}

function findKeyword(kind: string, markers: readonly string[]): string | undefined {
  const wanted = kind.toLowerCase();
  return [...SIGNAL_FORMS.keys(), ...markers].find((keyword) => keyword.toLowerCase() === wanted);
}

function refuseGivenConfidence(
  keyword: string,
  confidence: number | undefined,
): string | undefined {
  if (confidence === undefined) return undefined;
  if (keyword !== "DONE" && keyword !== "BID") return "only done and bid carry a confidence";
  return refuseConfidence(confidence);
}

// Troupe shows agents how to signal: in conventions, reminders, tools. Whoever repeats that, whole, wrapped at another
// place or from the middle on, has not signalled. test/signals/own-words.test.ts holds every such text to this list.

const QUOTES = "[\\s`'\"*_]*";
/** What stands for a value in a form: `<result>`, `...`. */
const PLACEHOLDER_PATTERN = /^(?:<[\p{L}][^<>@:/\n]{0,80}>|\.{3}|…)$/u;
const OWN_START_PATTERN = new RegExp(
  `^${QUOTES}(?:<(?:result|summary|what you wait for|what went wrong)>|[,.]? ?followed by\\b|or${QUOTES}(?:BLOCKED|FAILED):|and says (?:why|how)\\b|and the question\\b)`,
);

/** What its author is told of such a payload. */
const OWN_WORDS_REFUSED = "it repeats the form instead of filling it in";

/** Whether a payload is none: a placeholder, or how Troupe itself goes on behind the keyword. */
function isOwnWords(payload: string): boolean {
  const text = payload.trim();
  return PLACEHOLDER_PATTERN.test(text) || OWN_START_PATTERN.test(text);
}
