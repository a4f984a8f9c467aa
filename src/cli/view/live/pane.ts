import { toPrintableLines } from "../../../foundation/printable.ts";
import { cutTo, toSteady, widthOf, wrapTo } from "../../terminal/measure.ts";
import type { LiveStyle } from "./live-style.ts";

/** Where a pane may be drawn. */
export interface PaneSize {
  readonly columns: number;
  /** Most lines. */
  readonly rows: number;
}

/** A part of a pane: a text under a label. */
export interface PaneSection {
  readonly label: string;
  readonly text: string;
  /** Which end of the text is worth more when there is no room for all. */
  readonly keeps: "start" | "end";
}

const INDENT = "    ";
const BORDER_COLUMNS = INDENT.length + 2;

// Nobody reads more in a pane, and wrapping costs time.
const MAX_TEXT_CHARS = 6000;

/** Columns of the text inside of a pane. */
export function paneTextColumns({ columns }: PaneSize): number {
  return Math.max(8, columns - BORDER_COLUMNS);
}

/** Lines with the border of a pane, at most as many as there is room for. */
export function framePane(
  lines: readonly string[],
  size: PaneSize,
  { glyphs, signs, paint }: LiveStyle,
): readonly string[] {
  const more = lines.length - size.rows;
  const shown = more > 0 ? lines.slice(0, size.rows - 1) : lines;
  const rest = more > 0 ? [`${glyphs.ellipsis} ${more + 1} more lines`] : [];
  const border = paint(signs.border, "aside");
  return [...shown, ...rest].map((line) =>
    cutTo(`${INDENT}${border} ${line}`, size.columns, glyphs.ellipsis),
  );
}

/** Sections under each other; the last one gets the room that the others leave. */
export function sectionLines(
  sections: readonly PaneSection[],
  size: PaneSize,
  style: LiveStyle,
): readonly string[] {
  const lines: string[] = [];
  for (const [index, section] of sections.entries()) {
    const left = size.rows - lines.length - (sections.length - 1 - index);
    if (left <= 0) break;
    lines.push(...sectionOf(section, { columns: paneTextColumns(size), rows: left }, style));
  }
  return lines;
}

/** A text of somebody else as printable lines that fit. */
export function textLines(text: string, columns: number): readonly string[] {
  return toPrintableLines(text).flatMap((line) => wrapTo(toSteady(line), columns));
}

function sectionOf(
  { label, text, keeps }: PaneSection,
  { columns, rows }: PaneSize,
  { glyphs, paint }: LiveStyle,
): readonly string[] {
  const isCut = text.length > MAX_TEXT_CHARS;
  const part = keeps === "end" ? text.slice(-MAX_TEXT_CHARS) : text.slice(0, MAX_TEXT_CHARS);
  const wrapped = textLines(part.toWellFormed(), columns);
  const title = paint(label, "hint");
  const [only] = wrapped;
  if (wrapped.length === 1 && only !== undefined && widthOf(`${label}: ${only}`) <= columns)
    return [`${title}: ${only}`];
  const room = Math.max(1, rows - 1);
  if (wrapped.length <= room && !isCut) return [title, ...wrapped];
  const kept = Math.max(1, room - 1);
  const more = `${glyphs.ellipsis} ${wrapped.length - kept} more lines`;
  return keeps === "end"
    ? [title, paint(more, "aside"), ...wrapped.slice(-kept)]
    : [title, ...wrapped.slice(0, kept), paint(more, "aside")];
}
