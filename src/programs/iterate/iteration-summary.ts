import { namedFiles } from "../../foundation/named-files.ts";
import { readSignals } from "../../signals/read-signals.ts";

/** Most characters of a summary. */
const MAX_SUMMARY_CHARS = 500;
const MOST_FILES_NAMED = 10;

/** What an iteration said at its end, and the files that it changed. */
export interface IterationWords {
  readonly output: string;
  /** The whole final text, where that is not the output. */
  readonly text: string | undefined;
  readonly files: readonly string[];
}

/**
 * What sums an iteration up: what stands behind its DONE, else its last paragraph, else its files. `whole`: behind its DONE,
 * else all of the text, which can be empty.
 */
export function summarize(
  { output, text, files }: IterationWords,
  by: "done" | "files" | "whole",
): string {
  if (by === "whole") return cutSummary(wholeOf(text ?? output));
  const said = by === "files" ? "" : wordsOf(output, text);
  return cutSummary(said === "" ? filesSentence(files) : said);
}

/** A summary of any text. */
export function cutSummary(text: string): string {
  const whole = text.trim();
  if (whole.length <= MAX_SUMMARY_CHARS) return whole;
  return `${whole.slice(0, MAX_SUMMARY_CHARS - 1).toWellFormed()}…`;
}

function wholeOf(text: string): string {
  const { signals, rest } = readSignals(text);
  const payload = signals.findLast(({ kind, value }) => kind === "done" && value.trim() !== "");
  return payload === undefined ? rest : payload.value;
}

function wordsOf(output: string, text: string | undefined): string {
  const { signals, rest } = readSignals(text ?? output);
  const payload = signals.findLast(({ kind, value }) => kind === "done" && value.trim() !== "");
  if (payload !== undefined) return payload.value.trim();
  // A signal that was given by tool does not stand in the text.
  const isPayload = text !== undefined && rest.trim() !== output.trim();
  return isPayload
    ? output.trim()
    : (
        rest
          .trim()
          .split(/\r?\n\s*\r?\n/)
          .at(-1) ?? ""
      ).trim();
}

function filesSentence(all: readonly string[]): string {
  const files = all.slice(0, MOST_FILES_NAMED);
  return all.length === 0
    ? "No file changed"
    : `Changed ${namedFiles({ files, more: all.length - files.length })}`;
}
