// HTML that a reader of the rendered text does not see, or sees as code or as a quotation.
const HIDING_TAGS = "pre|script|style|textarea|template|noscript|xmp|code|samp|blockquote";
const OPENING = new RegExp(`<!--|<\\?|<!\\[CDATA\\[|<(${HIDING_TAGS})(?=[\\s/>]|$)`, "gi");
const CLOSINGS: ReadonlyMap<string, string> = new Map([
  ["<!--", "-->"],
  ["<?", "\\?>"],
  ["<![cdata[", "\\]\\]>"],
]);

/** Tells the lines apart that stand in hidden markup; all lines together search a text once per kind of markup. */
export interface MarkupScan {
  /** Takes the next line that is neither quoted nor code; whether it begins inside of hidden markup. */
  isHidden(start: number, end: number): boolean;
}

/**
 * A scan of a text from its beginning. What is opened at the start of a line and never closed hides the rest; in the
 * middle of a line it is then a mention of the tag.
 */
export function scanMarkup(text: string): MarkupScan {
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
      if (hiddenUntil < end) readLine(start, end);
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
