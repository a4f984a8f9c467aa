import { type HiddenReader, UNITS_HIDDEN } from "./hidden-text.ts";
import type { TextAutomaton } from "./text-automaton.ts";

/** What stands in the place of a secret. */
export const SECRET_MASK = "***";

/** A text that comes in parts and is masked; secrets that are split between them are found. */
export interface MaskedText {
  /** The masked text so far, without an end that may be the start of a secret. */
  push(text: string): string;
  /** What was held back. */
  end(): string;
  /** How much is held back; with nothing, what comes next may be read by itself. */
  readonly heldChars: number;
}

/** A part of the text that is masked: from its first character to the one behind its last. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** What is looked for, and in which kind of text. */
export interface MaskSearch {
  /** Finds secrets as they stand. */
  readonly automaton: TextAutomaton;
  /** Finds what is shown of them; the same one where that makes no difference. */
  readonly shown: TextAutomaton;
  /** Tells what is not shown. Defaults to that of UTF-16. */
  readonly reader?: HiddenReader;
}

/**
 * Masks as it goes: secrets that overlap have one mask, and what is not shown on a terminal hides none. Places are
 * counted from the beginning of what is held back.
 */
export function createMaskedText({
  automaton,
  shown,
  reader = UNITS_HIDDEN,
}: MaskSearch): MaskedText {
  let held = "";
  let state = 0;
  let shownState = 0;
  /** How far the shown text was read. */
  let shownTo = 0;
  /** What is not shown of what is held. */
  let hidden: Span[] = [];
  /** How much of what is held back belongs to a mask that was handed out. */
  let openChars = 0;
  let spans: Span[] = [];
  const read = (text: string, from: number, isLast: boolean) => {
    // As long as both have seen the same, one speaks for both.
    const matches: Span[] = [];
    let isSame = shown === automaton && state === shownState && shownTo === from;
    for (let index = from; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      if (isSame && state !== 0 && reader.mayHide(unit)) isSame = false;
      state = automaton.step(state, unit);
      const found = automaton.found(state);
      if (found > 0) matches.push({ start: index + 1 - found, end: index + 1 });
      if (!isSame) continue;
      shownState = state;
      shownTo = index + 1;
    }
    if (!isSame) matches.push(...readShown(text, isLast));
    for (const { start, end } of matches.sort((left, right) => left.end - right.end))
      add(start, end);
  };
  const readShown = (text: string, isLast: boolean): readonly Span[] => {
    const matches: Span[] = [];
    while (shownTo < text.length) {
      const length = reader.hiddenAt(text, shownTo) ?? (isLast ? 1 : undefined);
      if (length === undefined) break;
      if (length > 0) {
        hidden.push({ start: shownTo, end: shownTo + length });
        shownTo += length;
        continue;
      }
      shownState = shown.step(shownState, text.charCodeAt(shownTo));
      shownTo += 1;
      const found = shown.found(shownState);
      if (found > 0) matches.push({ start: startOf(shownTo, found), end: shownTo });
    }
    return matches;
  };
  /** Where so many shown units before a place begin. */
  const startOf = (end: number, units: number) => {
    let start = end - units;
    for (let at = hidden.length - 1; at >= 0; at -= 1) {
      const span = hidden[at];
      if (span === undefined || span.end <= start) break;
      start -= span.end - span.start;
    }
    return start;
  };
  const add = (start: number, end: number) => {
    let [first, behind] = [start, end];
    for (let last = spans.at(-1); last !== undefined && last.end > first; last = spans.at(-1)) {
      first = Math.min(first, last.start);
      behind = Math.max(behind, last.end);
      spans.pop();
    }
    if (first < openChars) openChars = Math.max(openChars, behind);
    else spans.push({ start: first, end: behind });
  };
  /** Hands out all before a place, behind which no secret that is not known yet can begin. */
  const release = (text: string, safe: number) => {
    let out = "";
    let done = openChars;
    const isFinal = ({ start }: Span) => start < safe;
    for (const { start, end } of spans.filter(isFinal)) {
      out += text.slice(done, start) + SECRET_MASK;
      done = end;
    }
    if (safe > done) out += text.slice(done, safe);
    const from = Math.min(Math.max(safe, 0), text.length);
    spans = spans
      .filter((span) => !isFinal(span))
      .map(({ start, end }) => ({ start: start - from, end: end - from }));
    hidden = hidden
      .filter(({ end }) => end > from)
      .map(({ start, end }) => ({ start: start - from, end: end - from }));
    shownTo -= from;
    openChars = Math.max(0, done - from);
    held = text.slice(from);
    return out;
  };
  return {
    get heldChars() {
      return held.length;
    },
    push: (text) => {
      const whole = held + text;
      read(whole, held.length, false);
      const open = whole.length - automaton.depth(state);
      return release(whole, Math.min(open, startOf(shownTo, shown.depth(shownState))));
    },
    end: () => {
      if (shownTo < held.length) read(held, held.length, true);
      const rest = release(held, held.length);
      state = 0;
      shownState = 0;
      shownTo = 0;
      hidden = [];
      openChars = 0;
      return rest;
    },
  };
}
