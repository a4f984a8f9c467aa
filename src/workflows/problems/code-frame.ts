import { createLineMap } from "../source/line-map.ts";
import type { Problem } from "./problem.ts";

/** What a part of the output is, for colours. */
export type FrameRole = "error" | "warning" | "message" | "place" | "gutter" | "mark" | "hint";

/** Colours a part of the output; the identity gives plain text. */
export type FrameStyle = (text: string, role: FrameRole) => string;

export interface CodeFrameOptions {
  readonly style?: FrameStyle;
  /** Widest source line that is shown whole. Defaults to 100 columns. */
  readonly width?: number;
}

/** A problem with the lines of the source around it, ending without a line break. */
export function renderProblem(
  problem: Problem,
  source: string,
  options: CodeFrameOptions = {},
): string {
  const { style = plain, width = 100 } = options;
  const marks = marksOf(problem);
  const shown = linesToShow(marks.map((mark) => mark.line));
  const gutterWidth = String(Math.max(...shown)).length;
  const pad = " ".repeat(gutterWidth);
  const lines = createLineMap(source);
  const frame = shown
    .filter(
      (line) =>
        line <= (lines.lineText(lines.lineCount) === "" ? lines.lineCount - 1 : lines.lineCount) ||
        line === problem.line,
    )
    .flatMap((line) => {
      const marked = marks.filter((mark) => mark.line === line);
      const rendered = { text: lines.lineText(line), marks: marked, width };
      return frameLine(String(line).padStart(gutterWidth), rendered, style);
    });
  return [
    `${style(`${problem.severity}[${problem.code}]`, problem.severity)}${style(`: ${oneLine(problem.message)}`, "message")}`,
    `${pad}${style("-->", "gutter")} ${style(`${oneLine(problem.file)}:${problem.line}:${problem.column}`, "place")}`,
    // A file that could not be read, or that is empty, has nothing to show.
    ...(source === "" ? [] : [`${pad} ${style("|", "gutter")}`, ...frame]),
    ...(problem.hint === undefined
      ? []
      : [`${pad} ${style("=", "gutter")} ${style(oneLine(problem.hint), "hint")}`]),
  ].join("\n");
}

interface Mark {
  readonly line: number;
  readonly column: number;
  readonly endColumn: number;
  readonly label: string | undefined;
}

interface MarkedLine {
  readonly text: string;
  readonly marks: readonly Mark[];
  readonly width: number;
}

function plain(text: string): string {
  return text;
}

function marksOf(problem: Problem): readonly Mark[] {
  const own = { ...problem, label: problem.label };
  return [own, ...(problem.related ?? [])];
}

/** The marked lines and, around the first of them, one more on either side. */
function linesToShow(marked: readonly number[]): readonly number[] {
  const first = marked[0] ?? 1;
  const shown = marked.length > 1 ? marked : [first - 1, first, first + 1];
  return [...new Set(shown.filter((line) => line >= 1))].sort((left, right) => left - right);
}

function frameLine(number: string, line: MarkedLine, style: FrameStyle): readonly string[] {
  const focus = (line.marks[0]?.column ?? 1) - 1;
  const visible = visibleLine(line.text, { focus, width: line.width });
  const bar = style("|", "gutter");
  const source = `${style(number, "gutter")} ${bar} ${visible.text}`.trimEnd();
  const pad = " ".repeat(number.length);
  const carets = line.marks.map((mark) => {
    const before = displayWidth(visible.text.slice(0, visible.at(mark.column - 1)));
    const marked = visible.text.slice(visible.at(mark.column - 1), visible.at(mark.endColumn - 1));
    const caret = "^".repeat(Math.max(1, displayWidth(marked)));
    const label = mark.label === undefined ? "" : ` ${oneLine(mark.label)}`;
    return `${pad} ${bar} ${" ".repeat(before)}${style(`${caret}${label}`, "mark")}`;
  });
  return [source, ...carets];
}

function oneLine(text: string): string {
  return visibleLine(text, { focus: 0, width: 2000 }).text;
}

/** A line as a terminal may show it. */
interface VisibleLine {
  readonly text: string;
  /** Where in `text` an offset of the original line lies. */
  at(offset: number): number;
}

const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}/u;
const COMBINING = /\p{Mark}|\u200B|\u200D/u;
// Control characters could clear the screen; marks of direction could show a line in another order.
const HIDDEN = /\p{Cc}|[\u200E\u200F\u202A-\u202E\u2066-\u2069\u2028\u2029\uFEFF]|\p{Surrogate}/u;

/** Escapes what a terminal would obey instead of show, and cuts a long line around `focus`. */
function visibleLine(
  line: string,
  options: { readonly focus: number; readonly width: number },
): VisibleLine {
  const { start, end } = cut(line, options);
  const prefix = start > 0 ? "…" : "";
  let text = prefix;
  const offsets = new Map<number, number>();
  let offset = start;
  for (const character of line.slice(start, end)) {
    offsets.set(offset, text.length);
    text += shown(character);
    offset += character.length;
  }
  const last = text.length;
  if (end < line.length) text += "…";
  const at = (wanted: number) => {
    if (wanted <= start) return prefix.length;
    return offsets.get(wanted) ?? (wanted >= end ? last : (offsets.get(wanted - 1) ?? last));
  };
  return { text, at };
}

/** Columns that a text takes in a terminal; wide characters take two. */
function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (COMBINING.test(character)) continue;
    width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}

function cut(
  line: string,
  { focus, width }: { readonly focus: number; readonly width: number },
): { readonly start: number; readonly end: number } {
  if (line.length <= width) return { start: 0, end: line.length };
  const wanted =
    focus < width * 0.7 ? 0 : Math.min(focus - Math.floor(width / 3), line.length - width);
  return { start: whole(line, Math.max(0, wanted)), end: whole(line, Math.max(0, wanted) + width) };
}

/** The offset, or the one after it where it would split a character in two. */
function whole(line: string, offset: number): number {
  const code = line.charCodeAt(offset);
  return code >= 0xdc00 && code <= 0xdfff ? offset + 1 : offset;
}

function shown(character: string): string {
  if (character === "\t") return "  ";
  if (!HIDDEN.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  return `\\u{${code.toString(16)}}`;
}
