import { toPrintable, withoutSequences } from "../printable.ts";

/** Output of a program that failed, and how it ended. */
export interface PrintedOutput {
  /** Null when a signal or a timeout ended it, and for output without a process. */
  readonly exitCode: number | null;
  /** Name of the signal that ended it. */
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

const FIRST_CHARS = 16 * 1024;
const LAST_CHARS = 48 * 1024;
const MAX_LAST_CHARS = 200;
/** The line that `keepPrinted` puts in place of what it left out. */
export const LEFT_OUT = "… output left out …";

/**
 * A stream as failures keep it: 16 Ki characters of its beginning and 48 Ki of its end, without terminal sequences, and
 * of each line that overwrote itself the last state.
 */
export function keepPrinted(text: string): string {
  const plain = withoutSequences(text).split("\n").map(lastState).join("\n");
  if (plain.length <= FIRST_CHARS + LAST_CHARS) return plain;
  const first = plain.slice(0, endOfHead(plain, FIRST_CHARS));
  const last = plain.slice(startOfTail(plain, plain.length - LAST_CHARS));
  return `${first.trimEnd()}\n${LEFT_OUT}\n${last}`.toWellFormed();
}

/** The lines of both streams as the report shows them: printable, without blank lines at either end. */
export function printedLines({ stdout, stderr }: Pick<PrintedOutput, "stdout" | "stderr">): {
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
} {
  return { stdout: toLines(stdout), stderr: toLines(stderr) };
}

/**
 * The last line of a text that says something, cut to its end; empty where there is none. Programs end what they
 * print with empty lines and rules, so a line with words is preferred.
 */
export function lastWords(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const last = lines.findLast((line) => /\p{L}/u.test(line)) ?? lines.at(-1);
  return last === undefined ? "" : last.trim().slice(-MAX_LAST_CHARS).toWellFormed();
}

// A progress bar prints its states over each other; a CRLF is a line end.
function lastState(line: string): string {
  const whole = line.endsWith("\r") ? line.slice(0, -1) : line;
  const at = whole.lastIndexOf("\r");
  return at === -1 ? whole : whole.slice(at + 1);
}

// Cuts fall between lines or words where they can: half a secret would not be recognized as one.
function endOfHead(text: string, most: number): number {
  const line = text.lastIndexOf("\n", most);
  if (line > most / 2) return line;
  const word = text.lastIndexOf(" ", most);
  return word > 0 ? word : most;
}

function startOfTail(text: string, least: number): number {
  const line = text.indexOf("\n", least);
  if (line !== -1 && line < least + LAST_CHARS / 2) return line + 1;
  const word = text.indexOf(" ", least);
  return word === -1 ? least : word + 1;
}

function toLines(text: string): readonly string[] {
  const lines = keepPrinted(text)
    .split("\n")
    .map((line) => toPrintable(line.replaceAll("\t", "  ")).trimEnd());
  const first = lines.findIndex((line) => line !== "");
  if (first === -1) return [];
  return lines.slice(first, lines.findLastIndex((line) => line !== "") + 1);
}
