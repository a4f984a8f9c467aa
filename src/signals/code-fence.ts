/** An open block of code. */
export interface Fence {
  readonly mark: "`" | "~";
  /** How many marks opened it; at least as many close it. */
  readonly length: number;
  /** Columns before it, list markers included. */
  readonly indent: number;
}

const MIN_LENGTH = 3;
const TAB_COLUMNS = 4;
const LIST_BULLETS = "-*+";
const OPENING_CODES: ReadonlySet<number> = new Set(
  [..."`~-*+0123456789"].map((character) => character.charCodeAt(0)),
);
const MAX_NUMBER_DIGITS = 9;

/**
 * The fence that a line opens, if it does. Where Markdown depends on the list around it, the answer is
 * yes: text that is wrongly held for code costs a reminder, code held for text could fake a signal.
 */
export function readFence(text: string, start: number, end: number): Fence | undefined {
  if (!mayOpen(text, start)) return undefined;
  const at = skipMargin(text, start);
  const mark = text[at];
  if (mark !== "`" && mark !== "~") return undefined;
  let after = at;
  while (text[after] === mark) after += 1;
  const length = after - at;
  if (length < MIN_LENGTH) return undefined;
  // Backticks after the opening ones make it inline code.
  if (mark === "`" && text.slice(after, end).includes("`")) return undefined;
  return { mark, length, indent: columnsOf(text.slice(start, at)) };
}

/** Whether a line closes the fence. */
export function isFenceEnd(line: string, fence: Fence): boolean {
  const at = skipBlanks(line, 0);
  let after = at;
  while (line[after] === fence.mark) after += 1;
  if (after - at < fence.length || skipBlanks(line, after) < line.length) return false;
  return columnsOf(line.slice(0, at)) <= Math.max(TAB_COLUMNS - 1, fence.indent);
}

// Tells most lines apart without building anything: texts of millions of lines are read in one go.
function mayOpen(text: string, start: number): boolean {
  return OPENING_CODES.has(text.charCodeAt(skipBlanks(text, start)));
}

// Position after blanks and list markers.
function skipMargin(text: string, start: number): number {
  let at = skipBlanks(text, start);
  for (let after = listMarkerEnd(text, at); after > at; after = listMarkerEnd(text, at)) {
    at = skipBlanks(text, after);
  }
  return at;
}

// The end of a line is no blank: nothing here goes beyond it.
function skipBlanks(text: string, start: number): number {
  let at = start;
  while (isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

function columnsOf(margin: string): number {
  let columns = 0;
  for (const character of margin) columns += character === "\t" ? TAB_COLUMNS : 1;
  return columns;
}

// Position after `-`, `*`, `+`, `1.` or `1)`, when a blank follows; else `at` itself.
function listMarkerEnd(text: string, at: number): number {
  let after = at;
  if (LIST_BULLETS.includes(text[at] ?? "\n")) after += 1;
  else {
    while (after - at < MAX_NUMBER_DIGITS && isDigit(text[after])) after += 1;
    if (after === at || (text[after] !== "." && text[after] !== ")")) return at;
    after += 1;
  }
  return isBlank(text.charCodeAt(after)) ? after : at;
}

// Space or tab.
function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

function isDigit(character = ""): boolean {
  return character >= "0" && character <= "9";
}
