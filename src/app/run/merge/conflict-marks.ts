import { closeSync, constants, lstatSync, openSync, readSync } from "node:fs";

const MARK = /^(?:<{7}|>{7}|\|{7})(?: |\r?$)/m;
// How much of a line tells whether it is a mark.
const MARK_CHARS = 9;
const PIECE_BYTES = 1024 * 1024;

/**
 * Whether a line of a file begins as git begins the lines around a conflict. Reads it in pieces, whatever its size;
 * what is no plain file has none. Raises errors of the system.
 */
export function hasConflictMark(path: string): boolean {
  if (!lstatSync(path).isFile()) return false;
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const piece = Buffer.alloc(PIECE_BYTES);
    /** The beginning of a line whose end was not read yet. */
    let begun = "";
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) {
      const text = begun + piece.toString("latin1", 0, read);
      const end = text.lastIndexOf("\n") + 1;
      if (MARK.test(text.slice(0, end))) return true;
      begun = text.slice(end, end + MARK_CHARS);
    }
    return MARK.test(begun);
  } finally {
    closeSync(file);
  }
}
