import { type Fence, isFenceEnd, readFence } from "./code-fence.ts";

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
  return text[skipIndent(text, start, end)] === ">";
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

// HTML that a reader of the rendered text does not see, or sees as code or as a quotation.
const HIDING_TAGS = "pre|script|style|textarea|template|noscript|xmp|code|samp|blockquote";
const OPENING = new RegExp(`<!--|<\\?|<!\\[CDATA\\[|<(${HIDING_TAGS})(?=[\\s/>]|$)`, "gi");
const CLOSINGS: ReadonlyMap<string, string> = new Map([
  ["<!--", "-->"],
  ["<?", "\\?>"],
  ["<![cdata[", "\\]\\]>"],
]);

/** Tells the lines apart that stand in hidden markup; all lines together search a text once per kind of markup. */
interface MarkupScan {
  /** Takes the next line that is neither quoted nor code; whether it begins inside of hidden markup. */
  isHidden(start: number, end: number): boolean;
}

/**
 * A scan of a text from its beginning. What is opened at the start of a line and never closed hides the rest; in the
 * middle of a line it is then a mention of the tag.
 */
function scanMarkup(text: string): MarkupScan {
  const nextOpening = finderOf(text, OPENING);
  const closings = new Map<string, (from: number) => RegExpExecArray | undefined>();
  let hiddenUntil = 0;
  const closingOf = (opening: RegExpExecArray) => {
    const kind = opening[0].toLowerCase();
    const pattern = CLOSINGS.get(kind) ?? `</${opening[1] ?? ""}(?=[\\s>])`;
    const find = closings.get(kind) ?? finderOf(text, new RegExp(pattern, "gi"));
    closings.set(kind, find);
    return find(opening.index + 2);
  };
  const readLine = (start: number, end: number) => {
    let opening = nextOpening(Math.max(start, hiddenUntil));
    while (opening !== undefined && opening.index < end) {
      const closing = closingOf(opening);
      const isFirst = /^ {0,3}$/.test(text.slice(start, Math.min(opening.index, start + 4)));
      if (closing !== undefined) hiddenUntil = closing.index + closing[0].length;
      else if (isFirst) hiddenUntil = Infinity;
      opening = nextOpening(Math.max(hiddenUntil, opening.index + 1));
    }
  };
  return {
    isHidden: (start, end) => {
      const isHidden = start < hiddenUntil;
      readLine(start, end);
      return isHidden;
    },
  };
}

// Remembers the last find, as long as it lies ahead.
function finderOf(text: string, pattern: RegExp): (from: number) => RegExpExecArray | undefined {
  const own = new RegExp(pattern);
  let searchedFrom = Infinity;
  let found: RegExpExecArray | undefined;
  return (from) => {
    const isKnown = from >= searchedFrom && (found === undefined || found.index >= from);
    if (isKnown) return found;
    own.lastIndex = from;
    searchedFrom = from;
    found = own.exec(text) ?? undefined;
    return found;
  };
}
