import {
  type AnswerEntry,
  answerText,
  type CallPart,
  callsOf,
  type SessionEntry,
} from "./entry.ts";

/** Of one turn, where nobody says how often. */
export const MAX_MODEL_CALLS = 100;
const MAX_CONTINUATIONS = 3;
const MAX_BAD_CALLS = 10;

const CONTINUE =
  "[troupe] Your answer was cut off. Go on exactly where it stopped, without repeating anything.";
const EMPTY = "[troupe] Your answer was empty. Say what you have done, or go on with the task.";

/** What a turn does next. */
export type NextStep =
  | { readonly type: "ask" }
  | { readonly type: "call"; readonly calls: readonly CallPart[] }
  | { readonly type: "tell"; readonly why: "continue" | "empty"; readonly text: string }
  | {
      readonly type: "stop";
      readonly reason: "end_turn" | "max_turns" | "max_tokens" | "refusal";
      readonly text: string;
    }
  /** The model calls what is not there again and again. */
  | { readonly type: "give-up"; readonly badCalls: number };

/** Decides how a turn goes on (LOOP-10): by what its session has written down, and nothing else. */
export function nextStep(
  entries: readonly SessionEntry[],
  turn: number,
  maxCalls: number = MAX_MODEL_CALLS,
): NextStep {
  const own = entriesOfTurn(entries, turn);
  const last = own.findLast((entry) => entry.kind === "answer");
  if (last === undefined) return { type: "ask" };
  const open = openCalls(own, last);
  if (open.length > 0) return { type: "call", calls: open };
  const badCalls = badCallsInARow(own);
  if (badCalls >= MAX_BAD_CALLS) return { type: "give-up", badCalls };
  const isAnswered = own.at(-1)?.kind === "told" || callsOf(last).length > 0;
  if (isAnswered) {
    if (timesAsked(entries, turn) < maxCalls) return { type: "ask" };
    return { type: "stop", reason: "max_turns", text: finalText(own) };
  }
  return ending(own, last);
}

/** Calls of any answer that have no result, with whether they were begun. */
export function unanswered(
  entries: readonly SessionEntry[],
): readonly { readonly part: CallPart; readonly isStarted: boolean }[] {
  const started = new Set(
    entries.flatMap((entry) => (entry.kind === "started" ? [entry.call] : [])),
  );
  return entries.flatMap((entry) =>
    entry.kind === "answer"
      ? openCalls(entries, entry).map((part) => ({ part, isStarted: started.has(part.call) }))
      : [],
  );
}

/** How often the model was asked in a turn. */
export function timesAsked(entries: readonly SessionEntry[], turn: number): number {
  return entries.reduce((count, entry) => {
    if (!("turn" in entry) || entry.turn !== turn) return count;
    if (entry.kind === "compacted") return entry.asked;
    return entry.kind === "answer" || entry.kind === "summary" ? count + 1 : count;
  }, 0);
}

/** All entries as the model is shown them, a compaction's own among them. */
export function flatten(entries: readonly SessionEntry[]): readonly SessionEntry[] {
  if (!entries.some(({ kind }) => kind === "compacted")) return entries;
  return entries.flatMap((entry) =>
    entry.kind === "compacted" ? [{ ...entry, rest: [] }, ...entry.rest] : [entry],
  );
}

function entriesOfTurn(entries: readonly SessionEntry[], turn: number): readonly SessionEntry[] {
  const all = flatten(entries);
  const start = all.findIndex(
    (entry) => "turn" in entry && entry.turn === turn && entry.kind !== "compacted",
  );
  return start < 0 ? [] : all.slice(start);
}

/** Results stand behind the answer that called for them. */
function openCalls(entries: readonly SessionEntry[], answer: AnswerEntry): readonly CallPart[] {
  const open = new Map(callsOf(answer).map((part) => [part.call, part]));
  for (let at = entries.lastIndexOf(answer) + 1; open.size > 0 && at < entries.length; at += 1) {
    const entry = entries[at];
    if (entry?.kind === "result") open.delete(entry.call);
  }
  return [...open.values()];
}

/** Looks no further back than to the last good one. */
function badCallsInARow(own: readonly SessionEntry[]): number {
  let count = 0;
  for (let at = own.length - 1; at >= 0; at -= 1) {
    const entry = own[at];
    if (entry?.kind !== "result") continue;
    if (!entry.isBad) break;
    count += 1;
  }
  return count;
}

function ending(own: readonly SessionEntry[], last: AnswerEntry): NextStep {
  const text = finalText(own);
  switch (last.finish) {
    case "refusal":
      return { type: "stop", reason: "refusal", text };
    case "length":
    case "cut": {
      const told = own.filter((entry) => entry.kind === "told" && entry.why === "continue").length;
      if (last.finish === "cut" || told < MAX_CONTINUATIONS)
        return { type: "tell", why: "continue", text: CONTINUE };
      return { type: "stop", reason: "max_tokens", text };
    }
    case "calls":
    case "stop": {
      const isAskedAgain = own.some((entry) => entry.kind === "told" && entry.why === "empty");
      if (answerText(last).trim() === "" && !isAskedAgain)
        return { type: "tell", why: "empty", text: EMPTY };
      return { type: "stop", reason: "end_turn", text };
    }
  }
}

/** The last answer, with those before it that it goes on from. */
function finalText(own: readonly SessionEntry[]): string {
  let text = "";
  for (const entry of own) {
    if (entry.kind === "result") text = "";
    if (entry.kind === "told" && entry.why !== "continue") text = "";
    if (entry.kind === "answer") text += answerText(entry);
  }
  return text;
}
