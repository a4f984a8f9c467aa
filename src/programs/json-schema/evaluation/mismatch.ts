import { isJsonArray, type Json } from "../../../foundation/json.ts";
import { type JsonPath, jsonPathText } from "../parts/json-path.ts";

/** A part of the data that does not fit. */
export interface Mismatch {
  readonly path: JsonPath;
  /** What was expected and what was found. */
  readonly problem: string;
}

/** Takes what does not fit, up to a number. */
export interface MismatchList {
  readonly found: readonly Mismatch[];
  readonly isFull: boolean;
  add(mismatch: Mismatch): void;
}

const MAX_VALUE_CHARS = 60;
const MAX_PROBLEM_CHARS = 400;

/** An empty list for so many; further ones are dropped. */
export function createMismatchList(most: number): MismatchList {
  const found: Mismatch[] = [];
  return {
    found,
    get isFull() {
      return found.length >= most;
    },
    add: (mismatch) => {
      if (found.length < most) found.push(mismatch);
    },
  };
}

/** A mismatch in one line: `files[0]: expected string, found number 5`. */
export function mismatchText({ path, problem }: Mismatch): string {
  const bounded =
    problem.length > MAX_PROBLEM_CHARS ? `${problem.slice(0, MAX_PROBLEM_CHARS)}…` : problem;
  return path.length === 0 ? bounded : `${jsonPathText(path)}: ${bounded}`;
}

/** A value in a few words: its type, and what it is where that is short. */
export function foundText(value: Json): string {
  if (value === null) return "null";
  if (isJsonArray(value)) return `array of ${value.length}`;
  if (typeof value === "object") return "object";
  return `${typeof value} ${shortJson(value)}`;
}

/** A value as JSON, cut where it is long. */
export function shortJson(value: unknown): string {
  // Cut before as well: what is a long text would be escaped for nothing.
  const cut = typeof value === "string" ? value.slice(0, MAX_VALUE_CHARS + 1) : value;
  const text = JSON.stringify(cut) ?? "nothing";
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text;
}
