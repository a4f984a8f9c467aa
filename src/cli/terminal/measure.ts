import { createRequire } from "node:module";
import { stripVTControlCharacters } from "node:util";

// Nearly all texts are of this kind: Latin letters and the signs of our own lines, each one column wide. For them all
// that follows is arithmetic, and what knows the others, which takes longer to load than most commands to run, is not.
const PLAIN =
  /^[ -~\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2190-\u2193\u21bb\u23f8\u2500-\u257f\u25a0-\u25fc\u270e\u2713-\u2718\u2800-\u28ff]*$/;

const load = createRequire(import.meta.url);

/**
 * A text whose width all terminals agree on, as far as that can be had: a joined emoji as its parts, since
 * some terminals draw one sign and some draw each part.
 */
export function toSteady(text: string): string {
  if (PLAIN.test(text)) return text;
  // What joins or changes the emoji around it.
  return text.replace(
    /\u200d(?=\p{Extended_Pictographic})|\ufe0f|(?<=\p{Emoji_Modifier_Base})\p{Emoji_Modifier}/gu,
    "",
  );
}

/** Columns that a terminal needs for a text; styles take none. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  const bare = stripVTControlCharacters(text);
  if (PLAIN.test(bare)) return bare.length;
  const { default: stringWidth }: typeof import("string-width") = load("string-width");
  return stringWidth(text);
}

/** A text that needs no more than `columns`, its end replaced by `ellipsis` when it was longer. */
export function cutTo(text: string, columns: number, ellipsis: string = ""): string {
  if (columns <= 0) return "";
  if (widthOf(text) <= columns) return text;
  const room = columns - widthOf(ellipsis);
  return room <= 0 ? firstColumns(text, columns) : `${firstColumns(text, room)}${ellipsis}`;
}

function firstColumns(text: string, columns: number): string {
  if (PLAIN.test(text)) return text.slice(0, columns);
  const { default: sliceAnsi }: typeof import("slice-ansi") = load("slice-ansi");
  return sliceAnsi(text, 0, columns);
}

/** A text with spaces after it up to `columns`. */
export function padTo(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}

/** A text as lines of at most `columns`, broken between words where that is possible. */
export function wrapTo(text: string, columns: number): readonly string[] {
  const lines = text.split("\n");
  if (lines.every((line) => line.length <= columns && PLAIN.test(line))) return lines;
  const { default: wrapAnsi }: typeof import("wrap-ansi") = load("wrap-ansi");
  return wrapAnsi(text, Math.max(2, columns), { hard: true, trim: false }).split("\n");
}

/** The characters of a text as people see them: a letter with its marks, a joined emoji. */
export function charactersOf(text: string): readonly string[] {
  if (PLAIN.test(text)) return [...text];
  return [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
}

/** Lines that a terminal of `columns` shows a line on: a wide character that does not fit begins a new one. */
export function heightOf(line: string, columns: number): number {
  const width = widthOf(line);
  if (width <= columns) return 1;
  const plain = stripVTControlCharacters(line);
  if (PLAIN.test(plain)) return Math.ceil(plain.length / columns);
  let [rows, used] = [1, 0];
  for (const character of charactersOf(plain)) {
    const size = widthOf(character);
    if (used + size > columns) {
      rows += 1;
      used = 0;
    }
    used += size;
  }
  return rows;
}
