import { createLineMap } from "../source/line-map.ts";
import type { Problem } from "./problem.ts";
import { displayWidth, visibleLine } from "./visible-line.ts";

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
