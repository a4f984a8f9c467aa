import type { Context } from "../../contracts/ports/context.ts";
import { tokensOf } from "../../contracts/usage.ts";
import { TroupeError, toErrorReport } from "../../foundation/errors.ts";
import { markedText } from "../patterns/conventions/marked-text.ts";
import { type IterationWords, summarize } from "./iteration-summary.ts";

const SUMMARY_TIMEOUT_MS = 300_000;
const MAX_WORK_CHARS = 32_768;
const MOST_FILES_TOLD = 100;

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
