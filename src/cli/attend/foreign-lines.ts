import { toPrintable } from "../../foundation/printable.ts";

/** Makes lines of what others write to the terminal. */
export interface ForeignLines {
  take(text: string): void;
  /** Hands out what stands without an end of its line. */
  flush(): void;
}

// Colours of our own warnings and of user code are kept; no other sequence gets through.
const ESC = "\\u001b";
const COLOURS = new RegExp(`(${ESC}\\[[0-9;]*m)`);
const RESET = "\u001b[0m";
const MAX_LINE_CHARS = 8192;

/** Hands complete lines to `onLine`, safe for a terminal but for colours. */
export function createForeignLines(onLine: (line: string) => void): ForeignLines {
  let begun = "";
  const tell = (line: string) => onLine(toSafeLine(line));
  return {
    take: (text) => {
      const lines = (begun + text).split(/\r?\n/u);
      begun = lines.pop() ?? "";
      for (const line of lines) tell(line);
      if (begun.length < MAX_LINE_CHARS) return;
      tell(begun);
      begun = "";
    },
    flush: () => {
      if (begun !== "") tell(begun);
      begun = "";
    },
  };
}

function toSafeLine(line: string): string {
  const parts = line.replaceAll("\t", "  ").split(COLOURS);
  const safe = parts.map((part, index) => (index % 2 === 0 ? toPrintable(part) : part)).join("");
  return parts.length === 1 ? safe : `${safe}${RESET}`;
}
