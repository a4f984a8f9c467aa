const ESC = "\\u001b";
const BEL = "\\u0007";

// Terminal sequences: operating system commands and other strings up to their end, control sequences,
// and two-character escapes; both in their 7-bit and their 8-bit form. A match starts at a control
// character and none lies inside of it, so that the time stays linear whatever the text.
const SEQUENCES = new RegExp(
  [
    `(?:${ESC}[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])\\P{Cc}*(?:${BEL}|${ESC}\\\\|\\u009c)`,
    `(?:${ESC}\\[|\\u009b)[0-?]*[ -/]*[@-~]`,
    `${ESC}[ -/]*[0-Z\\\\^-~]`,
  ].join("|"),
  "gu",
);

const BREAKS = /[\r\n\t\v\f\u0085\u2028\u2029]+/gu;
const CONTROLS = /\p{Cc}/gu;

// Marks that change the direction of the text after them, or are not seen at all.
const DISGUISES =
  /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/**
 * A text that anybody wrote as one line that a terminal shows as it is: terminal sequences and control
 * characters are gone, line breaks and tabs are spaces, and characters that reorder or hide text are shown
 * by their code (`<U+202E>`).
 */
export function toPrintable(text: string): string {
  const plain = withoutSequences(text).replace(BREAKS, " ");
  return plain.replace(CONTROLS, "").replace(DISGUISES, showCode);
}

/** A text without terminal sequences; line breaks and other control characters stay. */
export function withoutSequences(text: string): string {
  return text.toWellFormed().replace(SEQUENCES, "");
}

/** A text as one word that a person can paste into a shell, where nothing in it is expanded. */
export function toShellWord(text: string): string {
  const word = toPrintable(text);
  if (/^[\w/.:@=,+-]+$/u.test(word)) return word;
  return /["$`\\!]/u.test(word) ? `'${word.replaceAll("'", "'\\''")}'` : `"${word}"`;
}

/** The lines of a text, each as `toPrintable` gives it; tabs become two spaces. */
export function toPrintableLines(text: string): readonly string[] {
  return text.split(/\r\n|[\n\r]/u).map((line) => toPrintable(line.replaceAll("\t", "  ")));
}

// Most texts are of this kind, and pages show thousands.
const PLAIN = /^[\n -~]*$/u;
const COLORS = new RegExp(`${ESC}\\[[\\d;:]*m`, "gu");
// Line feeds and tabs are layout; every other control character is no part of a text.
const MARKED = /[^\P{Cc}\n\t]/gu;
const PICTURES_START = 0x2400;
const PICTURE_OF_DELETE = "\u2421";

/**
 * A text of several lines for a page: what would not be seen is shown, control characters by their pictures
 * (`\u241b`) and characters that reorder or hide text by their code (`<U+202E>`). Only terminal colours are
 * dropped, and line ends become line feeds.
 */
export function toVisibleText(text: string): string {
  if (PLAIN.test(text)) return text;
  const lines = text.toWellFormed().replace(COLORS, "").replace(/\r\n?/gu, "\n");
  return lines.replace(MARKED, showControl).replace(DISGUISES, showCode);
}

function showControl(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x7f) return PICTURE_OF_DELETE;
  return code < 0x20 ? String.fromCodePoint(PICTURES_START + code) : showCode(character);
}

function showCode(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
