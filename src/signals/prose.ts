import { scanLines } from "./scan-lines.ts";

/**
 * A text without its code: fenced blocks are left out, an inline code span becomes one backtick. Time is
 * linear in the length of the text.
 */
export function proseOf(text: string): string {
  if (!text.includes("`") && !text.includes("~~~")) return text;
  const paragraphs: string[] = [];
  let start: number | undefined;
  const endParagraph = (end: number) => {
    if (start !== undefined) paragraphs.push(withoutCodeSpans(text.slice(start, end)));
    start = undefined;
  };
  scanLines(text, (lineStart, lineEnd, kind) => {
    // A span of code never reaches beyond its paragraph.
    if (kind === "fenced" || isBlankLine(text, lineStart, lineEnd)) endParagraph(lineStart);
    else start ??= lineStart;
  });
  endParagraph(text.length);
  return paragraphs.join("\n");
}

interface BacktickRun {
  readonly start: number;
  readonly end: number;
}

function withoutCodeSpans(paragraph: string): string {
  const runs = findRuns(paragraph);
  const closings = findClosings(runs);
  const parts: string[] = [];
  let keptUntil = 0;
  for (let index = 0; index < runs.length; index += 1) {
    const closing = closings[index];
    const [run, end] = [runs[index], closing === undefined ? undefined : runs[closing]];
    if (closing === undefined || run === undefined || end === undefined) continue;
    parts.push(paragraph.slice(keptUntil, run.start));
    keptUntil = end.end;
    index = closing;
  }
  parts.push(paragraph.slice(keptUntil));
  return parts.join("`");
}

function findRuns(paragraph: string): readonly BacktickRun[] {
  const runs: BacktickRun[] = [];
  for (let start = paragraph.indexOf("`"); start >= 0; ) {
    let end = start + 1;
    while (paragraph[end] === "`") end += 1;
    runs.push({ start, end });
    start = paragraph.indexOf("`", end);
  }
  return runs;
}

// For each run the index of the next one of the same length, which closes the span it opens.
function findClosings(runs: readonly BacktickRun[]): readonly (number | undefined)[] {
  const nextOfLength = new Map<number, number>();
  const closings: (number | undefined)[] = runs.map(() => undefined);
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const run = runs[index];
    if (run === undefined) continue;
    const length = run.end - run.start;
    closings[index] = nextOfLength.get(length);
    nextOfLength.set(length, index);
  }
  return closings;
}

function isBlankLine(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (text[at] !== " " && text[at] !== "\t") return false;
  return true;
}
