// Characters that a terminal shows nothing of: what stands around them looks as if it were one word. Line ends and
// tabs are shown, so they count as text.

const ESCAPE = 0x1b;
const BELL = 0x07;
/** Longer ones are text: no program writes them, and they would be held back. */
const LONGEST_SEQUENCE = 64;
const LONGEST_STRING = 1024;

const ZERO_WIDTH: readonly (readonly [first: number, last: number])[] = [
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe0fff],
];

/** Reads one kind of text: UTF-16 units, or bytes of UTF-8 as units. */
export interface HiddenReader {
  /** How many units from here on are not shown; 0 for one that is, undefined while more has to come to know it. */
  hiddenAt(text: string, index: number): number | undefined;
  /** Whether a unit may begin something that is not shown. */
  mayHide(unit: number): boolean;
}

/** Of texts as JavaScript has them. */
export const UNITS_HIDDEN = createReader((text, index) => {
  const code = text.codePointAt(index) ?? 0;
  const isHalf = code >= 0xd800 && code <= 0xdbff && index + 1 === text.length;
  return isHalf ? undefined : { code, length: code > 0xffff ? 2 : 1 };
});

/** Of bytes that were read as Latin-1. */
export const BYTES_HIDDEN = createReader(decodeUtf8);

/** The text without what is not shown. */
export function shownOf(text: string): string {
  let shown = "";
  for (let index = 0; index < text.length; ) {
    const length = UNITS_HIDDEN.hiddenAt(text, index) ?? 1;
    if (length === 0) shown += text[index];
    index += Math.max(1, length);
  }
  return shown;
}

interface Decoded {
  readonly code: number;
  readonly length: number;
}

function createReader(decode: (text: string, index: number) => Decoded | undefined): HiddenReader {
  return {
    mayHide: (unit) => isControl(unit) || unit >= 0x80,
    hiddenAt: (text, index) => {
      const unit = text.charCodeAt(index);
      if (unit === ESCAPE) return sequenceLength(text, index);
      if (isControl(unit)) return 1;
      if (unit < 0x80) return 0;
      const decoded = decode(text, index);
      if (decoded === undefined) return undefined;
      return isHiddenCode(decoded.code) ? decoded.length : 0;
    },
  };
}

function isControl(unit: number): boolean {
  return (unit < 0x20 && unit !== 0x09 && unit !== 0x0a) || unit === 0x7f;
}

function isHiddenCode(code: number): boolean {
  return code <= 0x9f || ZERO_WIDTH.some(([first, last]) => code >= first && code <= last);
}

function decodeUtf8(text: string, index: number): Decoded | undefined {
  const lead = text.charCodeAt(index);
  const length = 2 + Number(lead >= 0xe0) + Number(lead >= 0xf0);
  // The middle of a character, or no UTF-8 at all.
  if (lead < 0xc2 || lead > 0xf4) return { code: 0xfffd, length: 1 };
  let code = lead & (0xff >> (length + 1));
  for (let at = 1; at < length; at += 1) {
    if (index + at >= text.length) return undefined;
    const next = text.charCodeAt(index + at);
    if (next >> 6 !== 0b10) return { code: 0xfffd, length: 1 };
    code = (code << 6) | (next & 0x3f);
  }
  return { code, length };
}

/** The length of an escape sequence; 1 where there is none behind the escape. */
function sequenceLength(text: string, start: number): number | undefined {
  const kind = text[start + 1];
  if (kind === undefined) return undefined;
  if (kind === "[") return endOf(text, start, { from: 2, most: LONGEST_SEQUENCE });
  if (/[\]PX^_]/.test(kind)) return stringLength(text, start);
  return endOf(text, start, { from: 1, most: LONGEST_SEQUENCE });
}

/** Behind parameters and intermediate characters stands one that ends the sequence. */
function endOf(
  text: string,
  start: number,
  { from, most }: { readonly from: number; readonly most: number },
): number | undefined {
  const isLong = from === 2;
  for (let at = start + from; at < start + most; at += 1) {
    if (at >= text.length) return undefined;
    const unit = text.charCodeAt(at);
    if (unit < 0x20 || unit > 0x7e) return 1;
    if (unit >= (isLong ? 0x40 : 0x30)) return at + 1 - start;
  }
  return 1;
}

function stringLength(text: string, start: number): number | undefined {
  for (let at = start + 2; at < start + LONGEST_STRING; at += 1) {
    if (at >= text.length) return undefined;
    const unit = text.charCodeAt(at);
    if (unit === BELL) return at + 1 - start;
    if (unit === ESCAPE) {
      if (at + 1 >= text.length) return undefined;
      return text[at + 1] === "\\" ? at + 2 - start : 1;
    }
  }
  return 1;
}
