import { cutTo, padTo, widthOf } from "../../terminal/measure.ts";
import type { PaintRole } from "../../terminal/paint.ts";
import type { PlacedRow, RowGroup } from "./live-row.ts";
import type { LiveStyle } from "./live-style.ts";

/** Columns that the parts of rows share, so that they stand below each other. */
export interface RowColumns {
  readonly all: number;
  readonly name: number;
  /** 0 where there is no room for it. */
  readonly who: number;
}

/** What rows are drawn with. */
export interface RowLineOptions {
  readonly columns: RowColumns;
  readonly style: LiveStyle;
  readonly nowMs: number;
  /** Whether keys are read, so that they are worth naming. */
  readonly hasKeys: boolean;
}

const TIME_COLUMNS = 6;
const MARK_COLUMNS = 2;
const NARROW_COLUMNS = 60;
const MIN_COLUMNS_FOR_HINT = 70;
const SPINNER_MS = 125;

/** How wide the parts of these rows are in a terminal of `all` columns. */
export function rowColumns(rows: readonly PlacedRow[], all: number): RowColumns {
  const widest = (widths: readonly number[]) =>
    widths.reduce((left, right) => Math.max(left, right), 0);
  const name = widest(rows.map(({ lead, name: text }) => widthOf(lead) + widthOf(text)));
  const who = widest(rows.map(({ who: text }) => widthOf(text)));
  return {
    all,
    name: Math.min(name, Math.max(8, Math.floor(all * 0.3))),
    who: all < NARROW_COLUMNS ? 0 : Math.min(who, Math.floor(all * 0.15)),
  };
}

/** One row: what it is, who does it, for how long, and what is to be told. */
export function rowLine(row: PlacedRow, options: RowLineOptions, isSelected: boolean): string {
  const { columns, style } = options;
  const { glyphs, signs, paint } = style;
  const { name, rest } = leftPart(row, columns, style);
  const hint = isSelected ? hintOf(row, options) : "";
  const room = textRoom(row, options) - widthOf(hint);
  const text = cutTo(row.text, room, glyphs.ellipsis);
  return [
    isSelected ? `${paint(signs.selected, "message")} ` : " ".repeat(MARK_COLUMNS),
    row.lead,
    paint(signOf(row, options), ROLES[row.group]),
    ` ${isSelected ? paint(name, "message") : name}`,
    text === "" && hint === "" ? rest.trimEnd() : rest,
    row.group === "done" ? paint(text, "aside") : text,
    paint(hint, "hint"),
  ].join("");
}

/** Whether a selected row has room for all of its text. */
export function isWhole(row: PlacedRow, options: RowLineOptions): boolean {
  return widthOf(row.text) <= textRoom(row, options) - widthOf(hintOf(row, options));
}

/** After how many ms the picture of a spinner changes. */
export function untilNextSpinMs(nowMs: number): number {
  return SPINNER_MS - (nowMs % SPINNER_MS);
}

const ROLES: { readonly [group in RowGroup]: PaintRole } = {
  needs: "attention",
  failed: "failed",
  retrying: "attention",
  working: "working",
  waiting: "aside",
  idle: "aside",
  done: "done",
};

function leftPart(
  { lead, name, who, time }: PlacedRow,
  columns: RowColumns,
  { glyphs }: LiveStyle,
) {
  const room = columns.name - widthOf(lead);
  const actor =
    columns.who === 0 ? "" : ` ${padTo(cutTo(who, columns.who, glyphs.ellipsis), columns.who)}`;
  return {
    name: padTo(cutTo(name, room, glyphs.ellipsis), room),
    rest: `${actor} ${time.padStart(TIME_COLUMNS)}  `,
  };
}

function textRoom(row: PlacedRow, { columns, style }: RowLineOptions): number {
  const { name, rest } = leftPart(row, columns, style);
  const signColumns = 2;
  return (
    columns.all - MARK_COLUMNS - widthOf(row.lead) - signColumns - widthOf(name) - widthOf(rest)
  );
}

function signOf({ sign }: PlacedRow, { style, nowMs }: RowLineOptions): string {
  const { glyphs, signs } = style;
  if (sign === "waiting") return signs.waiting;
  if (sign !== "spinner") return glyphs[sign];
  return signs.spinner[Math.floor(nowMs / SPINNER_MS) % signs.spinner.length] ?? glyphs.working;
}

function hintOf({ item }: PlacedRow, { columns, style, hasKeys }: RowLineOptions): string {
  if (item === undefined || !hasKeys || columns.all < MIN_COLUMNS_FOR_HINT) return "";
  return item.kind === "question" ? `  ${style.signs.enter} answer` : "  a approve  r reject";
}
