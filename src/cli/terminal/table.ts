import { toPrintable } from "../../foundation/printable.ts";

/** Rows as lines with columns that stand below each other; safe for a terminal. */
export function alignColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const printable = rows.map((row) => row.map((cell) => toPrintable(cell)));
  const widths: number[] = [];
  for (const row of printable)
    for (const [index, cell] of row.entries())
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
  return printable.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
