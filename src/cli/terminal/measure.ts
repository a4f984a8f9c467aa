import { stripVTControlCharacters } from "node:util";
import sliceAnsi from "slice-ansi";
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

// Most texts are of this kind, and for them all that follows is arithmetic.
const PLAIN = /^[ -~]*$/;

// What joins or changes the emoji around it.
const JOINERS =
  /\u200d(?=\p{Extended_Pictographic})|\ufe0f|(?<=\p{Emoji_Modifier_Base})\p{Emoji_Modifier}/gu;

const segmenter = new Intl.Segmenter();

/**
 * A text whose width all terminals agree on, as far as that can be had: a joined emoji as its parts, since
 * some terminals draw one sign and some draw each part.
 */
export function toSteady(text: string): string {
  return PLAIN.test(text) ? text : text.replace(JOINERS, "");
}

/** Columns that a terminal needs for a text; styles take none. */
export function widthOf(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

/** A text that needs no more than `columns`, its end replaced by `ellipsis` when it was longer. */
export function cutTo(text: string, columns: number, ellipsis: string = ""): string {
  if (columns <= 0) return "";
  if (widthOf(text) <= columns) return text;
  const room = columns - widthOf(ellipsis);
  return room <= 0 ? sliceAnsi(text, 0, columns) : `${sliceAnsi(text, 0, room)}${ellipsis}`;
}

/** A text with spaces after it up to `columns`. */
export function padTo(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}

/** A text as lines of at most `columns`, broken between words where that is possible. */
export function wrapTo(text: string, columns: number): readonly string[] {
  return wrapAnsi(text, Math.max(2, columns), { hard: true, trim: false }).split("\n");
}

/** The characters of a text as people see them: a letter with its marks, a joined emoji. */
export function charactersOf(text: string): readonly string[] {
  return [...segmenter.segment(text)].map(({ segment }) => segment);
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
