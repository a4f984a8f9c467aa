import { type Fence, isFenceEnd, readFence } from "./code-fence.ts";
import { scanMarkup } from "./hidden-markup.ts";

/** Where a line stands: what its author says, quotes from somebody, or shows as code. */
export type LineKind = "plain" | "quoted" | "fenced";

/** Blanks before the first character of a line beyond which Markdown takes it for code. */
const MAX_INDENT = 3;
const LINE_FEED = 10;

/**
 * Calls `visit` for every line, without its end, in one pass over the text.
 * Lines end as in CommonMark at `\n`, `\r\n` and `\r`; other separators (U+2028, U+0085, VT, FF) end
 * none, because most readers show them inside a line. A quote covers all up to the next `\n`, and a
 * fence that nobody closes covers the rest. Comments and elements of HTML that hide or quote count as fences.
 */
export function scanLines(
  text: string,
  visit: (start: number, end: number, kind: LineKind) => void,
): void {
  const nextReturn = createFinder(text, "\r");
  const nextFeed = createFinder(text, "\n");
  const markup = text.includes("<") ? scanMarkup(text) : undefined;
  let fence: Fence | undefined;
  let isQuoted = false;
  for (let start = 0; start <= text.length; ) {
    // An empty line opens and closes nothing; text that is full of them is passed over quickly.
    if (text.charCodeAt(start) === LINE_FEED) {
      visit(start, start, fence === undefined ? "plain" : "fenced");
      isQuoted = false;
      start += 1;
      continue;
    }
    const end = Math.min(nextReturn(start), nextFeed(start));
    // A terminal shows what follows a lone `\r` on top of the quote: it is still the quoted text.
    const goesOn: boolean = isQuoted && text[start - 1] === "\r";
    isQuoted = goesOn || startsQuote(text, start, end);
    if (fence !== undefined) {
      visit(start, end, "fenced");
      if (isFenceEnd(text.slice(start, end), fence)) fence = undefined;
    } else if (isQuoted) {
      visit(start, end, "quoted");
    } else if (markup?.isHidden(start, end) === true) {
      visit(start, end, "fenced");
    } else {
      fence = readFence(text, start, end);
      visit(start, end, fence === undefined ? "plain" : "fenced");
    }
    start = text[end] === "\r" && text[end + 1] === "\n" ? end + 2 : end + 1;
  }
}

/** Position after at most MAX_INDENT spaces (and a byte order mark at the very start). */
export function skipIndent(text: string, start: number, end: number): number {
  let at = start === 0 && text.startsWith("\uFEFF") ? 1 : start;
  const limit = Math.min(end, at + MAX_INDENT);
  while (at < limit && text[at] === " ") at += 1;
  return at;
}

function startsQuote(text: string, start: number, end: number): boolean {
  if (start === end) return false;
  const at = skipIndent(text, start, end);
  return at < end && text[at] === ">";
}

// Remembers the last find, so that all lines together search the text once.
function createFinder(text: string, character: string): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found >= from) return found;
    const index = text.indexOf(character, from);
    found = index < 0 ? text.length : index;
    return found;
  };
}
