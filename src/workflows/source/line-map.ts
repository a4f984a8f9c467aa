/** A place in a text; both count from 1, columns in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Finds lines of a text by offset and by number. `\n`, `\r\n` and `\r` end a line. */
export interface LineMap {
  readonly lineCount: number;
  positionAt(offset: number): Position;
  /** The text of a line without its end; empty beyond the text. */
  lineText(line: number): string;
}

/** The lines of a text. */
export function createLineMap(text: string): LineMap {
  const starts = [0];
  for (const end of text.matchAll(/\r\n|\n|\r/g)) starts.push(end.index + end[0].length);
  return {
    lineCount: starts.length,
    positionAt: (offset) => {
      const line = lastAtMost(starts, offset);
      return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
    },
    lineText: (line) => {
      const start = starts[line - 1];
      if (start === undefined) return "";
      return text.slice(start, starts[line] ?? text.length).replace(/[\r\n]+$/, "");
    },
  };
}

function lastAtMost(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
