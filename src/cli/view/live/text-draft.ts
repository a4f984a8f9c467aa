import { charactersOf } from "../../terminal/measure.ts";
import type { Key, KeyName } from "./key.ts";

/** A text in the making. Characters are as people see them, so that a joined emoji is one step. */
export interface TextDraft {
  readonly before: readonly string[];
  /** What stands behind the cursor. */
  readonly after: readonly string[];
}

export const EMPTY_DRAFT: TextDraft = { before: [], after: [] };

// What a person types and pastes; longer material belongs into a file.
const MAX_CHARACTERS = 100_000;

/** The text so far. */
export function draftText({ before, after }: TextDraft): string {
  return [...before, ...after].join("");
}

/** The draft after a key; the same one when the key means nothing to it. */
export function editDraft(draft: TextDraft, key: Key): TextDraft {
  if (key.kind === "named") return moveOrDelete(draft, key.name);
  const typed = charactersOf(toPlainText(key.text));
  const room = MAX_CHARACTERS - draft.before.length - draft.after.length;
  // A draft beyond its end says already what it lacks.
  if (room < 0) return draft;
  const left = typed.length - room;
  const note = left > 0 ? charactersOf(` [${left} characters more did not fit: use a file] `) : [];
  return { ...draft, before: [...draft.before, ...typed.slice(0, room), ...note] };
}

function moveOrDelete(draft: TextDraft, name: KeyName): TextDraft {
  const { before, after } = draft;
  switch (name) {
    case "new-line":
      return { before: [...before, "\n"], after };
    case "left":
      return moveTo(draft, before.length - 1);
    case "right":
      return moveTo(draft, before.length + 1);
    case "home":
      return moveTo(draft, lineStart(before));
    case "end":
      return moveTo(draft, before.length + lineEnd(after));
    case "up":
      return moveTo(draft, placeAbove(before));
    case "down":
      return moveTo(draft, placeBelow(draft));
    case "backspace":
      return { before: before.slice(0, -1), after };
    case "delete":
      return { before, after: after.slice(1) };
    case "delete-word":
      return { before: before.slice(0, wordStart(before)), after };
    case "delete-line":
      return { before: before.slice(0, lineStart(before)), after };
    default:
      return draft;
  }
}

function moveTo({ before, after }: TextDraft, place: number): TextDraft {
  const all = [...before, ...after];
  const bounded = Math.min(Math.max(0, place), all.length);
  return { before: all.slice(0, bounded), after: all.slice(bounded) };
}

function lineStart(before: readonly string[]): number {
  return before.lastIndexOf("\n") + 1;
}

function lineEnd(after: readonly string[]): number {
  const end = after.indexOf("\n");
  return end < 0 ? after.length : end;
}

function wordStart(before: readonly string[]): number {
  const word = before.findLastIndex((character) => character.trim() !== "");
  return before.slice(0, Math.max(0, word)).findLastIndex((each) => each.trim() === "") + 1;
}

/** The same column one line higher; the beginning in the first line. */
function placeAbove(before: readonly string[]): number {
  const start = lineStart(before);
  if (start === 0) return 0;
  const above = before.slice(0, start - 1);
  const column = before.length - start;
  return Math.min(lineStart(above) + column, above.length);
}

/** The same column one line lower; the end in the last line. */
function placeBelow({ before, after }: TextDraft): number {
  const end = lineEnd(after);
  const column = before.length - lineStart(before);
  const below = after.slice(end + 1);
  if (end === after.length) return before.length + end;
  return before.length + end + 1 + Math.min(column, lineEnd(below));
}

/** Line breaks as such, tabs as spaces, without anything else that controls a terminal. */
function toPlainText(text: string): string {
  return text
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll("\t", "  ")
    .replaceAll(/[^\P{Cc}\n]/gu, "");
}
