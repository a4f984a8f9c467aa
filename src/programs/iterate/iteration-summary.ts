import type { Context } from "../../contracts/ports/context.ts";
import { tokensOf } from "../../contracts/usage.ts";
import { TroupeError, toErrorReport } from "../../foundation/errors.ts";
import { namedFiles } from "../../foundation/named-files.ts";
import { readSignals } from "../../signals/read-signals.ts";
import { markedText } from "../patterns/conventions/marked-text.ts";

/** Most characters of a summary. */
const MAX_SUMMARY_CHARS = 500;
const MOST_FILES_NAMED = 10;
const SUMMARY_TIMEOUT_MS = 300_000;
const MAX_WORK_CHARS = 32_768;
const MOST_FILES_TOLD = 100;

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

/** What sums an iteration up in words of its own. */
export interface Summary {
  readonly text: string;
  /** Undefined when nobody tells. */
  readonly tokens: number | undefined;
}

/** Asks an agent to sum an iteration up, in a turn of its own; undefined when it could not, which is told. */
export async function sumUp(
  context: Context,
  agent: string,
  words: IterationWords,
): Promise<Summary | undefined> {
  try {
    const { text, usage } = await context.turn(agent, promptOf(words), {
      timeoutMs: SUMMARY_TIMEOUT_MS,
    });
    const said = summarize({ output: text, text: undefined, files: [] }, "whole");
    if (said !== "") return { text: said, tokens: tokensOf(usage) };
    context.log("warning", `${agent} said nothing that sums the iteration up`);
  } catch (error) {
    if (error instanceof TroupeError && error.code === "ENGINE_CANCELLED") throw error;
    const { message } = toErrorReport(error);
    context.log("warning", `${agent} did not sum the iteration up: ${message}`);
  }
  return undefined;
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

function promptOf({ output, text = output, files }: IterationWords): string {
  const listed = files.slice(0, MOST_FILES_TOLD).map(inOneLine).join("\n");
  return markedText([
    {
      text: "Sum up what an agent did in one iteration of a longer task, for the agent that goes on: what is done, what was learned, what comes next. Two or three plain sentences, 400 characters at most. Say nothing else, and change nothing.\n\nWhat it said:\n",
    },
    { text: cut(text.trim() || "nothing"), source: "words of the iteration" },
    { text: "\n\nFiles that changed:\n" },
    { text: listed === "" ? "none" : listed, source: "names of files" },
  ]);
}

function inOneLine(path: string): string {
  return path.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
}

/** What stands at the end is what it came to. */
function cut(text: string): string {
  if (text.length <= MAX_WORK_CHARS) return text;
  return `(cut here) …${text.slice(-MAX_WORK_CHARS).toWellFormed()}`;
}
