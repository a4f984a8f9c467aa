import type { Json } from "../../../foundation/json.ts";
import { isRecord, toJson } from "../../../foundation/json.ts";

const MAX_LEVELS = 200;
// What fails to parse costs an exception each, and a hostile answer can hold millions of empty fences.
const MAX_FENCES = 100;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * The object or list that an answer is, or that its last fenced block with JSON holds (STP-10); undefined when
 * there is none. A bare number, text or truth value is no JSON answer. Blocks count when they are labelled
 * `json` or not at all; only the last 100 are looked at. What has more than 200 levels is text.
 */
export function jsonFromAnswer(text: string): Json | undefined {
  const whole = parseObject(text);
  if (whole !== undefined) return whole;
  for (const { start, end } of fencesOf(text).toReversed()) {
    const value = parseObject(text.slice(start, end));
    if (value !== undefined) return value;
  }
  return undefined;
}

interface Fence {
  readonly start: number;
  readonly end: number;
}

/** The last blocks between fences that may hold JSON. One that is never closed goes to the end. */
function fencesOf(text: string): readonly Fence[] {
  const fences: Fence[] = [];
  let open:
    | { readonly marker: string; readonly isJson: boolean; readonly start: number }
    | undefined;
  const keep = (end: number) => {
    if (open?.isJson === true) fences.push({ start: open.start, end });
    if (fences.length > MAX_FENCES) fences.shift();
  };
  for (const match of text.matchAll(/^[ \t]*(`{3,}|~{3,})([^\n]*)$/gm)) {
    const [line, marker = "", info = ""] = match;
    // Backticks behind backticks are code within a line.
    if (marker.startsWith("`") && info.includes("`")) continue;
    if (open === undefined) {
      const isJson = /^(?:json(?:\s|$)|$)/i.test(info.trim());
      open = { marker, isJson, start: match.index + line.length };
    } else if (marker.startsWith(open.marker) && info.trim() === "") {
      keep(match.index);
      open = undefined;
    }
  }
  keep(text.length);
  return fences;
}

function parseObject(source: string): Json | undefined {
  const text = source.trim();
  const isClosed =
    (text.startsWith("{") && text.endsWith("}")) || (text.startsWith("[") && text.endsWith("]"));
  if (!isClosed || isTooDeep(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    // 1e999 is read as an infinity, which no journal can hold.
    return isRecord(value) || Array.isArray(value) ? toJson(value, "the answer") : undefined;
  } catch {
    return undefined;
  }
}

/** Whether brackets nest too deep. JSON.parse would need memory for each level before it says no. */
function isTooDeep(text: string): boolean {
  let levels = 0;
  let isInText = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === BACKSLASH && isInText) index += 1;
    else if (character === QUOTE) isInText = !isInText;
    else if (isInText) continue;
    else if (OPENING.has(character)) levels += 1;
    else if (CLOSING.has(character)) levels -= 1;
    if (levels > MAX_LEVELS) return true;
  }
  return false;
}
