/** Most characters of one given text that are compared: its beginning and its end. */
const MAX_TEXT_CHARS = 131_072;
const MAX_TEXTS = 8;
const MAX_LINE_CHARS = 200;
const MAX_BLANKS = 200;

/** A line of an answer with its neighbours that are not blank; each at most 200 characters. */
export interface LineInContext {
  readonly before: string;
  readonly line: string;
  readonly after: string;
}

/**
 * What an agent was given, and tells from it what it only repeats. One line alone may be what it was asked to say; it is
 * a repetition together with the line before or after it, or when the whole answer is one. Markup and blanks do not
 * count. Only the newest eight texts are kept.
 */
export class GivenTexts {
  readonly #texts: string[] = [];

  /** Takes in what the agent is given now. */
  add(text: string): void {
    const words = wordsOf(withoutMiddle(text));
    if (words === "" || this.#texts.includes(words)) return;
    this.#texts.push(words);
    if (this.#texts.length > MAX_TEXTS) this.#texts.shift();
  }

  /** Whether an answer is one of the texts, as a whole. */
  isWhole(answer: string): boolean {
    const words = wordsOf(withoutMiddle(answer));
    return this.#texts.includes(words);
  }

  /** Whether a line stands in one of the texts beside the same neighbour as in the answer. */
  hasLine({ before, line, after }: LineInContext): boolean {
    const own = wordsOf(line);
    // Of what has no words no pair is found: between words there is one blank.
    const pairs = [
      [wordsOf(before), own],
      [own, wordsOf(after)],
    ];
    return pairs.some((pair) =>
      this.#texts.some((text) => ` ${text} `.includes(` ${pair.join(" ")} `)),
    );
  }
}

/** The line between two places of a text, with its neighbours. */
export function lineInContext(text: string, start: number, end: number): LineInContext {
  const above = text.slice(Math.max(0, start - MAX_LINE_CHARS - MAX_BLANKS), start).trimEnd();
  const below = text.slice(end, end + MAX_LINE_CHARS + MAX_BLANKS).trimStart();
  const isLong = end - start > MAX_LINE_CHARS;
  return {
    before: lastWords(above.slice(Math.max(above.lastIndexOf("\n"), above.lastIndexOf("\r")) + 1)),
    line: firstWords(text.slice(start, Math.min(end, start + MAX_LINE_CHARS + 1))),
    after: isLong ? "" : firstWords(below.split(/[\r\n]/, 1)[0] ?? ""),
  };
}

// A word that was cut would be found nowhere. Words end where `wordsOf` ends them, which need not be at a blank.
const BEFORE_FIRST_WORD = /^[\p{L}\p{N}]*(?:[^\p{L}\p{N}]|$)/u;
const BEHIND_LAST_WORD = /(?:[^\p{L}\p{N}]|^)[\p{L}\p{N}]*$/u;

function lastWords(text: string): string {
  return text.length <= MAX_LINE_CHARS
    ? text
    : text.slice(-MAX_LINE_CHARS - 1).replace(BEFORE_FIRST_WORD, "");
}

function firstWords(text: string): string {
  return text.length <= MAX_LINE_CHARS
    ? text
    : text.slice(0, MAX_LINE_CHARS + 1).replace(BEHIND_LAST_WORD, "");
}

function wordsOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

function withoutMiddle(text: string): string {
  if (text.length <= MAX_TEXT_CHARS) return text;
  return `${text.slice(0, MAX_TEXT_CHARS / 2)}\n${text.slice(-MAX_TEXT_CHARS / 2)}`;
}
