import { toPrintable } from "../../foundation/printable.ts";
import { fitLine } from "./fit-line.ts";
import { cutTo, padTo, toSteady, widthOf } from "./measure.ts";
import type { PaintRole } from "./paint.ts";
import { roleOfSign } from "./paint-sign.ts";
import type { Settings } from "./settings.ts";

/** How rows are made to fit. Columns are counted from 0. */
export interface TableOptions {
  readonly settings: Pick<Settings, "glyphs" | "paint" | "maxColumns">;
  /** Whether the first row names the columns. */
  readonly hasHeader?: boolean;
  /** Columns that are cut where there is no room for them; ids and commands are none. */
  readonly cuts?: readonly number[];
  /** Columns that are left out where there is still no room, the first one first. */
  readonly drops?: readonly number[];
  /** The column that stands in a line of its own, below the row, where there is no room beside it. */
  readonly below?: number;
  /** What a cell says, beside what its sign says. */
  roleOf?(cell: string, column: number): PaintRole | undefined;
}

const GAP = "  ";
const MIN_CUT_COLUMNS = 10;

/** Rows as lines with columns that stand below each other, none wider than the terminal; safe for it. */
export function fitTable(
  rows: readonly (readonly string[])[],
  options: TableOptions,
): readonly string[] {
  const cells = rows.map((row) => row.map((cell) => toSteady(toPrintable(cell))));
  const layout = layOut(cells, options);
  return cells.flatMap((row, index) => rowLines(row, layout, { ...options, index }));
}

interface TableLayout {
  /** Columns that are shown, with the width of each. */
  readonly widths: ReadonlyMap<number, number>;
  /** The column that stands below its row. */
  readonly below: number | undefined;
}

function layOut(
  rows: readonly (readonly string[])[],
  { settings, cuts = [], drops = [], below }: TableOptions,
): TableLayout {
  const widths = new Map<number, number>();
  for (const row of rows)
    for (const [column, cell] of row.entries())
      widths.set(column, Math.max(widths.get(column) ?? 0, widthOf(cell)));
  const { maxColumns } = settings;
  if (totalOf(widths) <= maxColumns) return { widths, below: undefined };
  if (below !== undefined) widths.delete(below);
  shrink(widths, cuts, maxColumns);
  for (const column of drops) {
    if (totalOf(widths) <= maxColumns) break;
    widths.delete(column);
  }
  return { widths, below };
}

/** Takes from the widest of these columns until all fit, or none has anything to give. */
function shrink(widths: Map<number, number>, cuts: readonly number[], maxColumns: number): void {
  for (let excess = totalOf(widths) - maxColumns; excess > 0; excess -= 1) {
    const [widest] = cuts
      .flatMap((column) => ({ column, width: widths.get(column) ?? 0 }))
      .sort((left, right) => right.width - left.width);
    if (widest === undefined || widest.width <= MIN_CUT_COLUMNS) return;
    widths.set(widest.column, widest.width - 1);
  }
}

function totalOf(widths: ReadonlyMap<number, number>): number {
  const all = [...widths.values()];
  return all.reduce((sum, width) => sum + width, 0) + GAP.length * Math.max(0, all.length - 1);
}

function rowLines(
  row: readonly string[],
  { widths, below }: TableLayout,
  options: TableOptions & { readonly index: number },
): readonly string[] {
  const { settings, hasHeader = false, index, roleOf } = options;
  const { glyphs, paint, maxColumns } = settings;
  const isHeader = hasHeader && index === 0;
  const shown = [...widths].map(([column, width]) => ({
    column,
    text: padTo(cutTo(row[column] ?? "", width, glyphs.ellipsis), width),
  }));
  const last = shown.findLastIndex(({ text }) => text.trim() !== "");
  const line = shown
    .slice(0, last + 1)
    .map(({ text, column }, place) => {
      const own = place === last ? text.trimEnd() : text;
      const role = isHeader ? "aside" : (signRole(own, settings) ?? roleOf?.(own.trim(), column));
      return role === undefined ? own : paint(own, role);
    })
    .join(GAP);
  const extra = below === undefined ? "" : (row[below] ?? "");
  const lines = extra === "" || isHeader ? [line] : [line, `    ${paint(extra, "hint")}`];
  return lines.flatMap((each) =>
    widthOf(each) <= maxColumns ? [each] : fitLine(each, maxColumns),
  );
}

function signRole(text: string, { glyphs }: Pick<Settings, "glyphs">): PaintRole | undefined {
  const [, sign = ""] = /^\s*(\S+)/u.exec(text) ?? [];
  return roleOfSign(sign, glyphs);
}
