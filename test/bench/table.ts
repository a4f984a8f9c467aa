import type { MeasuredRow, Result } from "./measure.ts";
import { describeGoal, isMet } from "./row.ts";

const headings = ["", "what", "unit", "raw", "troupe", "ratio", "goal", "met", "peers (x raw)"];

/** The table of all rows: columns of equal width, figures with three significant digits. */
export function renderTable(rows: readonly MeasuredRow[]): string {
  const lines = [headings, ...rows.map(toCells)];
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((cells) => cells[column]?.length ?? 0)),
  );
  return lines
    .map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "))
    .map((line) => line.trimEnd())
    .join("\n");
}

/** One line per contender that gave no figure. */
export function renderFailures(rows: readonly MeasuredRow[]): string {
  return rows
    .flatMap(({ row, results }) =>
      [...results].map(([name, result]) =>
        result.status === "failed" ? `${row.id} ${name}: ${result.reason}\n` : "",
      ),
    )
    .join("");
}

function toCells({ row, results }: MeasuredRow): readonly string[] {
  const raw = medianIn(results, "raw");
  const ours = medianIn(results, "troupe");
  const peers = [...results].filter(([name]) => name !== "raw" && name !== "troupe");
  const met = isMet(row.goal, ours, raw);
  return [
    row.id,
    row.name,
    row.unit,
    toText(raw),
    toText(ours),
    ratio(ours, raw),
    describeGoal(row.goal),
    describeVerdict(met),
    peers.map(([name, result]) => `${name} ${describePeer(result, raw)}`).join(", "),
  ];
}

/** The middle figure of a contender, where there is one. */
export function medianIn(results: ReadonlyMap<string, Result>, name: string): number | undefined {
  const result = results.get(name);
  return result?.status === "measured" ? result.median : undefined;
}

function describePeer(result: Result, raw: number | undefined): string {
  if (result.status === "failed") return "failed";
  return raw === undefined
    ? toText(result.median)
    : `${toText(result.median)} (${ratio(result.median, raw)})`;
}

/** How many times the other it is. */
export function ratio(value: number | undefined, raw: number | undefined): string {
  return value === undefined || raw === undefined ? "-" : toText(value / raw);
}

/** Three digits that mean something. */
export function toText(value: number | undefined): string {
  if (value === undefined) return "-";
  return value >= 1000 ? Math.round(value).toString() : Number(value.toPrecision(3)).toString();
}

/** Whether the goal is met, in a word. */
export function describeVerdict(met: boolean | undefined): string {
  if (met === undefined) return "-";
  return met ? "yes" : "no";
}
