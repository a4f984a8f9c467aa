import type { Signal } from "../contracts/signal.ts";
import { ID_PATTERN } from "../foundation/ids.ts";
import { readFinite, readNumber } from "../foundation/outside-number.ts";

/** What a payload says, or why it cannot count. */
export type Reading = Omit<Signal, "kind" | "by"> | { readonly refused: string };

/** Reads what follows a keyword, untrimmed. */
export type SignalForm = (payload: string) => Reading;

const NUMBER_PATTERN = /^[+-]?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE][+-]?\d{1,5})?$/;
// Behind the value comes a blank, the end, or a mark with a blank: `approve-not` and `approve?` are other values.
const VOTE_PATTERN = /^(approve|reject)(?:[,.;:]?(?:\s+[–—-]+)?\s+([\s\S]*)|[.]?$)/i;
const OTHER_VALUE_PATTERN = /^(?:[|/,]|(?:or|and|not|no|but not|approve|reject)\b)/i;
const TAG_PATTERN = /^[ \t]*\[([a-z]{1,20})=([^\]\r\n]{0,40})\]/;
const SHOWN_CHARS = 60;
const MAX_KEY_CHARS = 200;

/** The standing signals of every run by keyword; their kind is the keyword in lower case. */
export const SIGNAL_FORMS: ReadonlyMap<string, SignalForm> = new Map<string, SignalForm>([
  ["DONE", readDone],
  ["ACK", readSignalText],
  ["VOTE", readVote],
  ["REFLECT", readSignalText],
  ["HANDOFF", readTarget],
  ["ARGUMENT", readSignalText],
  ["CONCEDE", readSignalText],
  ["VERDICT", readSignalText],
  ["TEAM_DONE", readSignalText],
  ["BID", readBid],
  ["AWARD", readTarget],
  ["DEPOSIT", readDeposit],
  ["FITNESS", readFitness],
  ["GOSSIP", readSignalText],
  ["PROGRESS", readProgress],
  ["BLOCKED", readSignalText],
  ["FAILED", readSignalText],
]);

/** The kind of a marker: lower case for standing keywords, as written for a step's own. */
export function kindOfMarker(marker: string): string {
  return SIGNAL_FORMS.has(marker) ? marker.toLowerCase() : marker;
}

/** Any text, trimmed. */
export function readSignalText(payload: string): Reading {
  return { value: payload.trim() };
}

/** Why a confidence cannot count, if it cannot. */
export function refuseConfidence(confidence: number): string | undefined {
  if (confidence >= 0 && confidence <= 1) return undefined;
  return `confidence must be a number from 0 to 1, got ${confidence}`;
}

function readDone(payload: string): Reading {
  const { tags, rest } = readTags(payload, ["confidence"]);
  return withConfidence(rest, tags);
}

function readBid(payload: string): Reading {
  const { tags } = readTags(payload, ["confidence", "cost", "time"]);
  const cost = tags.get("cost");
  if (cost !== undefined && !(toNumber(cost, readNumber) >= 0))
    return { refused: `cost must be a number of 0 or more, got "${cost}"` };
  return withConfidence(payload, tags);
}

function withConfidence(payload: string, tags: ReadonlyMap<string, string>): Reading {
  const written = tags.get("confidence");
  if (written === undefined) return readSignalText(payload);
  const confidence = toNumber(written);
  if (refuseConfidence(confidence) !== undefined)
    return { refused: `confidence must be a number from 0 to 1, got "${written}"` };
  return { value: payload.trim(), confidence };
}

function readVote(payload: string): Reading {
  const [, word = "", rest = ""] = VOTE_PATTERN.exec(payload.trim()) ?? [];
  const value = word.toLowerCase();
  if (value === "" || OTHER_VALUE_PATTERN.test(rest))
    return { refused: `a vote is approve or reject, got ${shown(payload)}` };
  return withReason(value, rest);
}

function readTarget(payload: string): Reading {
  const { word, rest } = splitWord(payload);
  const agent = word.replace(/^@/, "").replace(/[:,.;]$/, "");
  if (!ID_PATTERN.test(agent))
    return { refused: `needs the id of an agent, got ${shown(payload)}` };
  return withReason(agent, rest);
}

/** What a DEPOSIT says. */
export interface WrittenDeposit {
  /** The place that it names; undefined for the usual one. */
  readonly namespace: string | undefined;
  readonly key: string;
  readonly amount: number;
}

/** What a DEPOSIT says, or why it cannot count. */
export function parseDeposit(payload: string): WrittenDeposit | { readonly refused: string } {
  const { tags, rest: told } = readTags(payload, ["namespace"]);
  const { word: key, rest } = splitWord(told);
  const amount = toNumber(splitWord(rest).word, readNumber);
  if (!Number.isFinite(amount))
    return { refused: `needs a key and a number, got ${shown(payload)}` };
  if (key.length > MAX_KEY_CHARS)
    return { refused: `a key has at most ${MAX_KEY_CHARS} characters, got ${key.length}` };
  return { namespace: tags.get("namespace"), key, amount };
}

function readDeposit(payload: string): Reading {
  const deposit = parseDeposit(payload);
  return "refused" in deposit ? deposit : readSignalText(payload);
}

function readFitness(payload: string): Reading {
  if (Number.isFinite(toNumber(splitWord(payload).word))) return readSignalText(payload);
  return { refused: `needs a number, got ${shown(payload)}` };
}

function readProgress(payload: string): Reading {
  const percent = toNumber(/^\s*([^\s%]{1,40}) ?%/.exec(payload)?.[1] ?? "");
  if (percent >= 0 && percent <= 100) return readSignalText(payload);
  return { refused: `needs a percentage from 0% to 100%, got ${shown(payload)}` };
}

// The rest is trimmed.
function withReason(value: string, rest: string): Reading {
  return rest === "" ? { value } : { value, reason: rest };
}

function splitWord(payload: string): { word: string; rest: string } {
  const text = payload.trim();
  const [word = ""] = text.split(/\s/, 1);
  return { word, rest: text.slice(word.length).trimStart() };
}

/** The tags that a payload begins with, such as `[cost=3]`, and the rest: only those that the signal knows, each once, on its first line. */
export function readTags(
  payload: string,
  known: readonly string[],
): { readonly tags: ReadonlyMap<string, string>; readonly rest: string } {
  const tags = new Map<string, string>();
  let rest = payload;
  for (let match = TAG_PATTERN.exec(rest); match !== null; match = TAG_PATTERN.exec(rest)) {
    const [whole, name = "", value = ""] = match;
    if (!known.includes(name) || tags.has(name)) break;
    tags.set(name, value.trim());
    rest = rest.slice(whole.length);
  }
  return { tags, rest };
}

function toNumber(written: string, read = readFinite): number {
  return (NUMBER_PATTERN.test(written) ? read(written) : undefined) ?? Number.NaN;
}

function shown(payload: string): string {
  const text = payload.trim();
  if (text === "") return "nothing";
  return JSON.stringify(text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text);
}
