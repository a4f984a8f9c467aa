import { type CutText, MAX_REST_CHARS } from "../files/cut-text.ts";

/** Most lines of a search that the model is shown. */
export const MAX_FOUND = 250;
const MAX_LINE_CHARS = 500;

/** What a search has found: the lines that are shown, and as much as is kept of all. */
export class FoundLines {
  readonly #shownAtMost: number;
  /** A number that the model gave leaves out what it does not want. */
  readonly #isChosen: boolean;
  readonly #lines: string[] = [];
  readonly #shown: string[] = [];
  #chars = 0;
  #isFull = false;
  /** Where in all of it the first line begins that is cut, or left out. */
  #next: number | undefined;
  #hasLong = false;

  constructor(shownAtMost?: number) {
    this.#shownAtMost = shownAtMost ?? MAX_FOUND;
    this.#isChosen = shownAtMost !== undefined;
  }

  /** Takes a place and what stands there; false when that was enough. */
  push(path: string, ...texts: readonly string[]): boolean {
    const line = [path, ...texts].join(":");
    const before = this.#chars;
    this.#chars += line.length + 1;
    this.#isFull = this.#chars > MAX_REST_CHARS;
    if (this.#isFull) return false;
    this.#lines.push(line);
    const isShown = this.#shown.length < this.#shownAtMost;
    const shown = [path, ...texts.map(shorten)].join(":");
    if (isShown) this.#shown.push(shown);
    if (isShown && shown !== line) this.#hasLong = true;
    if (!isShown || shown !== line) this.#next ??= before;
    return isShown || !this.#isChosen;
  }

  /** What the model is told, with `more` where not all is shown; undefined where nothing was found. */
  told(more: string): string | CutText | undefined {
    if (this.#lines.length === 0) return undefined;
    const before = this.#shown.join("\n");
    const isMore = this.#isFull || this.#lines.length > this.#shown.length;
    if (!this.#hasLong && (!isMore || this.#isChosen))
      return isMore ? `${before}\n(${more})` : before;
    const words = [...(this.#hasLong ? ["long lines are cut"] : []), ...(isMore ? [more] : [])];
    return {
      ...{ before: `${before}\n`, left: words.join("; "), after: "" },
      whole: this.#lines.join("\n"),
      next: this.#next ?? 0,
      isPart: this.#isFull || (this.#isChosen && isMore),
    };
  }
}

function shorten(text: string): string {
  return text.length > MAX_LINE_CHARS ? `${text.slice(0, MAX_LINE_CHARS).toWellFormed()}…` : text;
}
