import { toPrintable } from "../../../foundation/printable.ts";
import { bodyLines, type Picture } from "./body-lines.ts";
import { footerLine } from "./footer-line.ts";
import { headerLine } from "./header-line.ts";
import type { LiveStyle } from "./live-style.ts";
import { cutTo, toSteady } from "./measure.ts";
import { selectedRow } from "./press-key.ts";

/** How large a picture may be and how it is drawn. */
export interface FrameOptions {
  /** Of the terminal. */
  readonly columns: number;
  readonly rows: number;
  readonly style: LiveStyle;
  /** Whether a person's keys are read. */
  readonly hasKeys: boolean;
}

// The rest of the screen is for what has been said: a picture fills it only when somebody looks into it.
const SHARE_OF_SCREEN = 0.6;
const MIN_LINES = 10;
const RULE_AND_HEADER = 2;

/**
 * The lines below the scrollback. None is wider than the terminal less one column, and there are fewer than
 * the terminal has.
 */
export function renderFrame(picture: Picture, options: FrameOptions): readonly string[] {
  const { style, hasKeys } = options;
  const columns = Math.max(1, options.columns - 1);
  const limit = Math.max(1, lineLimit(picture, options.rows));
  const header = headerLine(picture.model, columns, style);
  const footer = hasKeys ? [footerLine(picture.view, { row: rowOf(picture), columns, style })] : [];
  const notice = noticeLines(picture, columns, style);
  const room = limit - RULE_AND_HEADER - notice.length - footer.length;
  // Too low for rows: what matters most stays.
  if (room < 1) return [header, ...notice, ...footer].slice(0, limit);
  const rule = style.paint(style.signs.rule.repeat(columns), "aside");
  const body = bodyLines(picture, { columns, rows: room }, { style, hasKeys });
  return [rule, header, ...body, ...notice, ...footer].map((line) => cutTo(line, columns));
}

function rowOf({ view, rows }: Picture) {
  return selectedRow(view, rows);
}

function lineLimit(picture: Picture, terminalRows: number): number {
  const { view } = picture;
  const most = terminalRows - 1;
  const isOpen = view.isPeeking || view.isHelpShown || view.editor !== undefined;
  if (isOpen || rowOf(picture)?.item !== undefined) return most;
  return Math.min(most, Math.max(MIN_LINES, Math.floor(terminalRows * SHARE_OF_SCREEN)));
}

function noticeLines(
  { view, model }: Picture,
  columns: number,
  { glyphs, paint }: LiveStyle,
): readonly string[] {
  const { notice } = view;
  if (notice === undefined || model.nowMs >= notice.untilMs) return [];
  const text = `${glyphs.attention} ${toSteady(toPrintable(notice.text))}`;
  return [paint(cutTo(text, columns, glyphs.ellipsis), "attention")];
}
