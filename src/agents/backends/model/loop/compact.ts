import { isPlain, type PlainEntry, type SessionEntry } from "./entry.ts";
import { flatten } from "./next-step.ts";

/** The window of a model of which nothing is known, in tokens. */
export const DEFAULT_CONTEXT_WINDOW = 128_000;
const COMPACT_AT = 0.8;
/** Shortening results is enough when it leaves that much of the window. */
const ENOUGH = 0.5;
/** How much of what is newest stays as it is: of a small window no more than this part. */
const KEPT_TOKENS = 20_000;
const MAX_KEPT = 0.4;
const CHARS_PER_TOKEN = 4;
const MIN_SHORTENED_CHARS = 200;
/** What instructions and descriptions of tools may take, which entries do not show. */
const MAX_UNSEEN_TOKENS = 60_000;

/** What the model is asked for before it forgets. */
export const SUMMARISE =
  "[troupe] The context is nearly full. Write a summary of everything so far for yourself: the task in full, what was decided and why, what was done, which files were changed and how, what failed, and what comes next. You will go on from this summary alone; call no tool.";

/** How much of the window the session takes: what the provider counted last, and an estimate of what came since. */
export function contextTokens(entries: readonly SessionEntry[]): number {
  // What was counted before a compaction says nothing about what is left of it, so its own entries do not count.
  const last = entries.findLastIndex(({ kind }) => kind === "answer");
  const counted = entries[last];
  const tokens = counted?.kind === "answer" ? counted.tokens : undefined;
  if (tokens === undefined) return sizeOf(flatten(entries));
  const believed = withinReason(tokens, sizeOf(flatten(entries.slice(0, last + 1))));
  return believed + sizeOf(entries.slice(last + 1));
}

/**
 * What a provider counted, unless no model could count so: a session would be compacted before each answer, or never. No
 * script takes 6 tokens for 4 characters, and no text one token for 16; instructions and tools come on top.
 */
function withinReason(tokens: number, estimated: number): number {
  const most = estimated * 6 + MAX_UNSEEN_TOKENS;
  return Math.min(Math.max(tokens, estimated / 4), most);
}

/** Whether the session has to become shorter before the model is asked again. */
export function isNearlyFull(entries: readonly SessionEntry[], contextWindow: number): boolean {
  return contextTokens(entries) > contextWindow * COMPACT_AT;
}

/** How a session becomes shorter. */
export type Compaction =
  | { readonly type: "shorten"; readonly rest: readonly PlainEntry[] }
  /** `old`, whose results are shortened, is to be summarised; `rest` stays. */
  | {
      readonly type: "summarise";
      readonly old: readonly SessionEntry[];
      readonly rest: readonly PlainEntry[];
    }
  /** All of it is new: nothing can be left out. */
  | { readonly type: "nothing" };

/**
 * Old results to one line each first; if that is not enough, a summary of all but the newest part. Of that part only
 * results of tools are cut, when it alone takes more than two fifths of the window.
 */
export function planCompaction(
  entries: readonly SessionEntry[],
  contextWindow: number,
): Compaction {
  const shown = flatten(entries);
  const keptTokens = contextWindow * MAX_KEPT;
  const from = restFrom(shown, Math.min(KEPT_TOKENS, keptTokens));
  const old = shown.slice(0, from).map(shorten);
  const newest = shown.slice(from).filter(isPlain);
  const rest = fitting(newest, keptTokens);
  if (old.length === 0) return rest === newest ? { type: "nothing" } : { type: "shorten", rest };
  const plain = old.filter(isPlain);
  const isWhole = plain.length === old.length;
  const sizeTokens = sizeOf([...old, ...rest]);
  const isShorter = sizeTokens < sizeOf(shown);
  if (isWhole && isShorter && sizeTokens <= contextWindow * ENOUGH)
    return { type: "shorten", rest: [...plain, ...rest] };
  return { type: "summarise", old, rest };
}

/** Where the newest part begins: with a word to the model or an answer of it, never between a call and its result. */
function restFrom(shown: readonly SessionEntry[], keptTokens: number): number {
  let tokens = 0;
  let from = shown.length;
  for (let index = shown.length - 1; index >= 0; index -= 1) {
    const entry = shown[index];
    if (entry === undefined || entry.kind === "compacted") break;
    tokens += sizeOf([entry]);
    // What was said last is never left out, however long it is.
    if (tokens > keptTokens && from < shown.length) break;
    if (entry.kind === "told" || entry.kind === "answer") from = index;
  }
  return from;
}

function shorten(entry: SessionEntry): SessionEntry {
  if (entry.kind !== "result" || entry.text.length < MIN_SHORTENED_CHARS) return entry;
  const [line = ""] = entry.text.trimStart().split("\n");
  const start = line.slice(0, 100).toWellFormed();
  const where = entry.rest === undefined ? "" : `: resource_read, ref "${entry.rest}"`;
  return { ...entry, text: `${start} … [${entry.text.length} characters left out${where}]` };
}

/** What tools returned last, cut where all of it together is too much: what was said stays whole. */
function fitting(newest: readonly PlainEntry[], roomTokens: number): readonly PlainEntry[] {
  const tooMuch = sizeOf(newest) - roomTokens;
  const results = newest.filter((entry) => entry.kind === "result");
  if (tooMuch <= 0 || results.length === 0) return newest;
  const leftTokens = Math.max(0, sizeOf(results) - tooMuch);
  const each = Math.max(MIN_SHORTENED_CHARS, (leftTokens * CHARS_PER_TOKEN) / results.length);
  const isCut = results.some(({ text }) => text.length > each);
  return isCut ? newest.map((entry) => cutTo(Math.floor(each), entry)) : newest;
}

function cutTo(maxChars: number, entry: PlainEntry): PlainEntry {
  if (entry.kind !== "result" || entry.text.length <= maxChars) return entry;
  const left = entry.text.length - maxChars;
  const note = `[${left} characters more do not fit into what you can be shown: ask for less at once]`;
  return { ...entry, text: `${entry.text.slice(0, maxChars).toWellFormed()}\n… ${note}` };
}

function sizeOf(entries: readonly SessionEntry[]): number {
  let chars = 0;
  for (const entry of entries) {
    if (entry.kind === "answer")
      for (const part of entry.parts)
        chars += part.type === "call" ? part.input.length + part.tool.length : part.text.length;
    else if (entry.kind === "compacted") chars += entry.summary?.length ?? 0;
    else if (entry.kind === "told" || entry.kind === "result") chars += entry.text.length;
  }
  return Math.ceil(chars / CHARS_PER_TOKEN);
}
