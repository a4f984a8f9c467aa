/** An entry of a channel's file as a reader finds it who knows its rules. */
export interface ParsedEntry {
  readonly time: string;
  readonly from: string;
  readonly text: string;
}

const HEADING = /^### (\d\d:\d\d:\d\d) \[([^\n]*)\]$/gmu;
const ESCAPED_LINE = /^([\s\p{M}\u200c\u200d]*)\\([#\uff03\ufe5f\u266f<`~=\\-])/u;

/** The entries of a channel's file, with the texts that were posted. */
export function parseChannel(file: string): readonly ParsedEntry[] {
  const headings = [...file.matchAll(HEADING)];
  return headings.map((heading, index) => {
    const start = heading.index + heading[0].length + 1;
    const next = headings[index + 1];
    // Each entry ends with a line feed, and an empty line stands before the next.
    const end = next === undefined ? file.length - 1 : next.index - 2;
    return {
      time: heading[1] ?? "",
      from: readOut(heading[2] ?? ""),
      text: file.slice(start, end).split("\n").map(unescapeLine).join("\n"),
    };
  });
}

function unescapeLine(line: string): string {
  return readOut(line.replace(ESCAPED_LINE, "$1$2"));
}

function readOut(text: string): string {
  return text.replace(/\\u\{([0-9a-f]+)\}/g, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
}
