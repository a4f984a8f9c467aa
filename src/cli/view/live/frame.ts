import { isEditable } from "../../../fold/waiting.ts";
import { toPrintable } from "../../../foundation/printable.ts";
import { cutTo, toSteady, widthOf } from "../../terminal/measure.ts";
import { bodyLines, type Picture } from "./body-lines.ts";
import { headerLine } from "./header-line.ts";
import type { PlacedRow } from "./live-row.ts";
import type { LiveStyle } from "./live-style.ts";
import { selectedRow } from "./press-key.ts";
import type { ViewState } from "./view-state.ts";

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

interface FooterOptions {
  /** The selected one. */
  readonly row: PlacedRow | undefined;
  readonly columns: number;
  readonly style: LiveStyle;
}

/** What the keys of the moment are; those that matter least are left out where there is no room. */
function footerLine(view: ViewState, { row, columns, style }: FooterOptions): string {
  const keys = view.isStopping ? ["stopping", "ctrl-c again to kill"] : keysFor(view, row, style);
  let count = keys.length;
  const text = () => ` ${keys.slice(0, count).join("  ")}`;
  while (count > 1 && widthOf(text()) > columns) count -= 1;
  return style.paint(cutTo(text(), columns, style.glyphs.ellipsis), "aside");
}

/** The most important first. */
function keysFor(
  view: ViewState,
  row: PlacedRow | undefined,
  { signs }: LiveStyle,
): readonly string[] {
  const { arrows, enter } = signs;
  if (view.search !== undefined)
    return [`/${toPrintable(view.search)}${signs.cursor}`, `${enter} keep`, "esc back"];
  const stop = view.isGuest ? "ctrl-c leave" : "ctrl-c stop";
  if (view.editor !== undefined)
    return [`${enter} send`, "esc back", `alt-${enter} new line`, stop];
  const peek = `${enter} ${view.isPeeking ? "close" : "peek"}`;
  const own = row?.item?.kind === "question" ? [`${enter} answer`] : [...decisions(row), peek];
  return [
    ...own,
    `${arrows} select`,
    view.isGuest ? "d leave" : stop,
    "? help",
    ...(row?.agent === undefined ? [] : ["m message"]),
    `g ${view.layout === "list" ? "tree" : "list"}`,
    "p pause",
    ...(row?.item === undefined || row.item.kind === "question" ? [] : ["c comment"]),
    "/ search",
    ...(view.isGuest || view.staysBecause !== undefined ? [] : ["d detach"]),
  ];
}

function decisions(row: PlacedRow | undefined): readonly string[] {
  if (row?.item === undefined) return [];
  const always = row.item.kind === "permission" ? ["w always"] : [];
  return ["a approve", "r reject", ...always, ...(isEditable(row.item) ? ["e edit"] : [])];
}
