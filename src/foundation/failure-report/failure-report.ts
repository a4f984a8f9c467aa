import { type FailureLine, findFailures, isNoise } from "./failure-lines.ts";
import { LEFT_OUT, lastWords, type PrintedOutput, printedLines } from "./printed-output.ts";

/** Bounds of a report. */
export interface ReportSize {
  readonly maxLines: number;
  readonly maxChars: number;
}

/** Report for an agent that gets it in its prompt. */
export const REPORT_FOR_AGENTS: ReportSize = { maxLines: 60, maxChars: 6000 };
/** Report for a person, below other lines of a terminal. */
export const REPORT_FOR_PEOPLE: ReportSize = { maxLines: 24, maxChars: 6000 };

/** What failed, for people and agents. */
export interface FailureReport {
  /** One line of at most 200 characters. */
  readonly headline: string;
  /** The headline, then the lines that explain it. */
  readonly lines: readonly string[];
  /** Whether all that was printed is in the lines. */
  readonly isWhole: boolean;
}

const MAX_HEADLINE_CHARS = 200;
const MAX_LINE_CHARS = 400;
const FIRST_LINES = 2;
const LAST_LINES = 4;
const LINES_BEFORE = 3;
const LINES_AFTER = 6;
// Room for the line that says where all of it is.
const ALL_CHARS = 200;
const SIGNALS: ReadonlyMap<number, string> = new Map([
  [1, "SIGHUP"],
  [2, "SIGINT"],
  [3, "SIGQUIT"],
  [4, "SIGILL"],
  [5, "SIGTRAP"],
  [6, "SIGABRT"],
  [7, "SIGBUS"],
  [8, "SIGFPE"],
  [9, "SIGKILL"],
  [11, "SIGSEGV"],
  [13, "SIGPIPE"],
  [14, "SIGALRM"],
  [15, "SIGTERM"],
]);

/** The one line that names the cause: `exit 1: cart adds: AssertionError: expected -1 to be 3`. */
export function failureHeadline(printed: PrintedOutput): string {
  return headlineOf(printed, read(printed));
}

/** The headline without the exit code; empty where nothing was printed. */
export function failureCause(printed: PrintedOutput): string {
  const { fallback, failures } = read(printed);
  return shorten(failures[0]?.text ?? fallback, MAX_HEADLINE_CHARS);
}

/** The headline with all of a short output, or with its first and last lines and those around each failure. */
export function failureReport(printed: PrintedOutput, size: ReportSize): FailureReport {
  const output = read(printed);
  const headline = headlineOf(printed, output);
  const room = { lines: size.maxLines - 2, chars: size.maxChars - headline.length - ALL_CHARS };
  const body = bodyOf(output, room);
  return { headline, ...body, lines: [headline, ...body.lines] };
}

/** The lines of a report, and after one that is not whole the command that shows the rest. */
export function reportLines({ lines, isWhole }: FailureReport, all: string): readonly string[] {
  return isWhole ? lines : [...lines, `all of it: ${all}`];
}

interface ReadOutput {
  /** Those of stdout, then those of stderr. */
  readonly lines: readonly string[];
  /** For a headline where no line says what failed. */
  readonly fallback: string;
  /** Best first. */
  readonly failures: readonly FailureLine[];
}

function read(printed: PrintedOutput): ReadOutput {
  const { stdout, stderr } = printedLines(printed);
  const found = [
    ...findFailures(stdout),
    ...findFailures(stderr).map((each) => ({ ...each, at: each.at + stdout.length })),
  ];
  const fallback = lastSaid(stderr) || lastSaid(stdout);
  return {
    fallback,
    lines: [...stdout, ...stderr],
    failures: found.toSorted((a, b) => a.rank - b.rank),
  };
}

function headlineOf(printed: PrintedOutput, { fallback, failures }: ReadOutput): string {
  const end = endOf(printed);
  const best = failures[0]?.text ?? fallback;
  if (best === "") return end;
  return shorten(end === "" ? best : `${end}: ${best}`, MAX_HEADLINE_CHARS);
}

function endOf({ exitCode, signal }: PrintedOutput): string {
  if (exitCode === null) return signal === null ? "" : `signal ${signal}`;
  const passedOn = exitCode > 128 ? SIGNALS.get(exitCode - 128) : undefined;
  return passedOn === undefined ? `exit ${exitCode}` : `exit ${exitCode} (${passedOn})`;
}

function lastSaid(lines: readonly string[]): string {
  const said = lines.findLast((line) => /\p{L}/u.test(line) && !isNoise(line));
  return (said ?? lastWords(lines.join("\n"))).trim();
}

// A cut falls between words: half a secret would not be recognized as one, and is worse than none of a word.
function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const space = text.lastIndexOf(" ", most - 1);
  const start = space > 0 ? text.slice(0, space) : "";
  return `${start.toWellFormed().trimEnd()}…`;
}

interface Room {
  readonly lines: number;
  readonly chars: number;
}

function bodyOf({ lines, failures }: ReadOutput, room: Room): Omit<FailureReport, "headline"> {
  const shown = lines.map((line) => shorten(line, MAX_LINE_CHARS));
  const isCut = shown.some((line, index) => line !== lines[index]);
  const chars = shown.reduce((sum, line) => sum + line.length + 1, 0);
  if (shown.length <= room.lines && chars <= room.chars) return { lines: shown, isWhole: !isCut };
  const kept = choose({ shown, failures }, room);
  return { lines: withGaps(shown, kept), isWhole: false };
}

/** Indexes of the lines that fit, those of better failures first. */
function choose(
  { shown, failures }: { shown: readonly string[]; failures: readonly FailureLine[] },
  room: Room,
): ReadonlySet<number> {
  const selection = new Selection(shown, room);
  const last = shown.length - 1;
  const ends = [...range(0, FIRST_LINES - 1), ...range(last - LAST_LINES + 1, last)];
  selection.add(ends);
  const alike = new Set<string>();
  for (const { at, text } of failures) {
    const print = text.replace(/\d+/gu, "0");
    if (alike.has(print)) continue;
    alike.add(print);
    // The line itself comes before what is around it.
    if (!selection.add([at])) break;
    selection.add([...range(at + 1, at + LINES_AFTER), ...range(at - LINES_BEFORE, at - 1)]);
  }
  return selection.kept;
}

function range(from: number, to: number): readonly number[] {
  const length = Math.max(0, to - Math.max(0, from) + 1);
  return Array.from({ length }, (_, index) => Math.max(0, from) + index);
}

/** Lines that are shown, and the room that is left for more. */
class Selection {
  readonly kept = new Set<number>();
  readonly #shown: readonly string[];
  #lines: number;
  #chars: number;

  constructor(shown: readonly string[], room: Room) {
    this.#shown = shown;
    this.#lines = room.lines;
    this.#chars = room.chars;
  }

  /** Adds as many of them as fit, in this order; false if the first one does not. */
  add(indexes: readonly number[]): boolean {
    let isFirst = true;
    for (const index of indexes) {
      if (!this.#take(index) && isFirst) return false;
      isFirst = false;
    }
    return true;
  }

  #take(index: number): boolean {
    const line = this.#shown[index];
    if (line === undefined || isInternal(line)) return true;
    if (this.kept.has(index)) return true;
    const before = gapOf(this.#shown, this.kept, index);
    // A line apart from the others brings a gap with it.
    const cost = before ? 2 : 1;
    const chars = line.length + 1 + (before ? GAP_CHARS : 0);
    if (this.#lines < cost || this.#chars < chars) return false;
    this.kept.add(index);
    this.#lines -= cost;
    this.#chars -= chars;
    return true;
  }
}

const GAP_CHARS = 24;

/** Whether a line would stand alone: a gap on both sides of it. */
function gapOf(shown: readonly string[], kept: ReadonlySet<number>, index: number): boolean {
  const isApart = (other: number) => other >= 0 && other < shown.length && !kept.has(other);
  return isApart(index - 1) && isApart(index + 1);
}

function isInternal(line: string): boolean {
  return /^\s+at .*\(?node:/u.test(line.slice(0, 500));
}

function withGaps(shown: readonly string[], kept: ReadonlySet<number>): readonly string[] {
  const lines: string[] = [];
  let next = 0;
  for (const index of [...kept].toSorted((a, b) => a - b)) {
    lines.push(...gap(shown.slice(next, index)));
    lines.push(shown[index] ?? "");
    next = index + 1;
  }
  return [...lines, ...gap(shown.slice(next))];
}

function gap(left: readonly string[]): readonly string[] {
  if (left.length === 0 || left.every(isInternal)) return [];
  // The first of a small gap is worth as much as a line that counts them.
  const [only = ""] = left;
  if (left.length === 1) return [only];
  // Where the record itself left something out, nobody knows how many there were.
  const isCutBefore = left.includes(LEFT_OUT);
  return [`… ${isCutBefore ? "more than " : ""}${left.length} lines …`];
}
