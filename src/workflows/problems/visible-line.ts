/** A line as a terminal may show it. */
export interface VisibleLine {
  readonly text: string;
  /** Where in `text` an offset of the original line lies. */
  at(offset: number): number;
}

const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}/u;
const COMBINING = /\p{Mark}|\u200B|\u200D/u;
// Control characters could clear the screen; marks of direction could show a line in another order.
const HIDDEN = /\p{Cc}|[\u200E\u200F\u202A-\u202E\u2066-\u2069\u2028\u2029\uFEFF]|\p{Surrogate}/u;

/** Escapes what a terminal would obey instead of show, and cuts a long line around `focus`. */
export function visibleLine(
  line: string,
  options: { readonly focus: number; readonly width: number },
): VisibleLine {
  const { start, end } = cut(line, options);
  const prefix = start > 0 ? "…" : "";
  let text = prefix;
  const offsets = new Map<number, number>();
  let offset = start;
  for (const character of line.slice(start, end)) {
    offsets.set(offset, text.length);
    text += shown(character);
    offset += character.length;
  }
  const last = text.length;
  if (end < line.length) text += "…";
  const at = (wanted: number) => {
    if (wanted <= start) return prefix.length;
    return offsets.get(wanted) ?? (wanted >= end ? last : (offsets.get(wanted - 1) ?? last));
  };
  return { text, at };
}

/** Columns that a text takes in a terminal; wide characters take two. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (COMBINING.test(character)) continue;
    width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}

function cut(
  line: string,
  { focus, width }: { readonly focus: number; readonly width: number },
): { readonly start: number; readonly end: number } {
  if (line.length <= width) return { start: 0, end: line.length };
  const wanted =
    focus < width * 0.7 ? 0 : Math.min(focus - Math.floor(width / 3), line.length - width);
  return { start: whole(line, Math.max(0, wanted)), end: whole(line, Math.max(0, wanted) + width) };
}

/** The offset, or the one after it where it would split a character in two. */
function whole(line: string, offset: number): number {
  const code = line.charCodeAt(offset);
  return code >= 0xdc00 && code <= 0xdfff ? offset + 1 : offset;
}

function shown(character: string): string {
  if (character === "\t") return "  ";
  if (!HIDDEN.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  return `\\u{${code.toString(16)}}`;
}
