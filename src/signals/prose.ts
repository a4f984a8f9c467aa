import { scanLines } from "./scan-lines.ts";

/**
 * A text without its code: fenced blocks and what HTML hides are left out, an inline code span becomes one backtick. Time is
 * linear in the length of the text.
 */
export function proseOf(text: string): string {
  // Whatever is left out begins with one of these.
  if (!/[`<]|~~~/.test(text)) return text;
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
  for (const [index, { start }] of runs.entries()) {
    const closing = closings[index];
    if (closing === undefined || start < keptUntil) continue;
    parts.push(paragraph.slice(keptUntil, start));
    keptUntil = closing.end;
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

// For each run the next one of the same length, which closes the span it opens.
function findClosings(runs: readonly BacktickRun[]): readonly (BacktickRun | undefined)[] {
  const nextOfLength = new Map<number, BacktickRun>();
  const closings = runs.toReversed().map((run) => {
    const length = run.end - run.start;
    const closing = nextOfLength.get(length);
    nextOfLength.set(length, run);
    return closing;
  });
  return closings.reverse();
}

function isBlankLine(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (text[at] !== " " && text[at] !== "\t") return false;
  return true;
}
