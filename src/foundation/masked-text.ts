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

/**
 * Masks as it goes, in one pass: secrets that overlap have one mask. Places are counted from the beginning of what is
 * held back.
 */
export function createMaskedText(automaton: TextAutomaton): MaskedText {
  let held = "";
  let state = 0;
  /** How much of what is held back belongs to a mask that was handed out. */
  let openChars = 0;
  let spans: Span[] = [];
  const read = (text: string, from: number) => {
    for (let index = from; index < text.length; index += 1) {
      state = automaton.step(state, text.charCodeAt(index));
      const found = automaton.found(state);
      if (found > 0) add(index + 1 - found, index + 1);
    }
  };
  const add = (start: number, end: number) => {
    let first = start;
    for (let last = spans.at(-1); last !== undefined && last.end > first; last = spans.at(-1)) {
      first = Math.min(first, last.start);
      spans.pop();
    }
    if (first < openChars) openChars = end;
    else spans.push({ start: first, end });
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
      read(whole, held.length);
      return release(whole, whole.length - automaton.depth(state));
    },
    end: () => {
      const rest = release(held, held.length);
      state = 0;
      openChars = 0;
      return rest;
    },
  };
}
