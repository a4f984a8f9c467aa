// The names of files are bytes, to git as to Linux, and need not be text. Here a name that is no UTF-8 is a string all the same: each
// byte that belongs to no character is half of a surrogate pair, U+DC00 and the byte, which no UTF-8 is ever read as. So such names
// can be compared, sorted and kept as JSON like all others, and become their bytes again at the doors: to the system and to git.

const HALF = 0xdc00;
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const ASCII_END = 0x80;
const MOST_BYTES = 4;

/** Bytes as text, from which `nameBytes` makes the same bytes again. */
export function exactText(bytes: Uint8Array): string {
  const whole = decoded(bytes);
  if (whole !== undefined) return whole;
  let text = "";
  let begin = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = characterAt(bytes, at);
    if (length === 0) {
      text += decoded(bytes.subarray(begin, at)) ?? "";
      text += String.fromCharCode(HALF + (bytes[at] ?? 0));
      begin = at + 1;
    }
    at += Math.max(1, length);
  }
  return text + (decoded(bytes.subarray(begin)) ?? "");
}

/** A path as the system takes it. */
export function systemPath(path: string): string | Buffer {
  return path.isWellFormed() ? path : nameBytes(path);
}

/** The bytes of a name. */
export function nameBytes(name: string): Buffer {
  const parts = Array.from(name, (character) => {
    const code = character.charCodeAt(0);
    return isByte(code) ? Buffer.of(code - HALF) : Buffer.from(character);
  });
  return Buffer.concat(parts);
}

/** A name as git reads it in a list of lines, in plain ASCII. */
export function quotedName(name: string): string {
  const quoted = Array.from(nameBytes(name), (byte) =>
    byte < 0x20 || byte >= 0x7f || byte === 0x22 || byte === 0x5c
      ? `\\${byte.toString(8).padStart(3, "0")}`
      : String.fromCharCode(byte),
  );
  return `"${quoted.join("")}"`;
}

/** A name to be shown, or to be written down for others: what is no text in it is lost. */
export function shownName(name: string): string {
  return name.toWellFormed();
}

/** Low halves that stand alone: a character of two halves has a high one first. */
function isByte(code: number): boolean {
  return code >= HALF + ASCII_END && code <= HALF + 0xff;
}

function characterAt(bytes: Uint8Array, at: number): number {
  if ((bytes[at] ?? 0) < ASCII_END) return 1;
  for (let length = 2; length <= MOST_BYTES && at + length <= bytes.length; length += 1)
    if (decoded(bytes.subarray(at, at + length)) !== undefined) return length;
  return 0;
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}
