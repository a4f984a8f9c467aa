import type {
  ComparedExecution,
  ComparedRun,
  ComparedStep,
  RunComparison,
  StepComparison,
} from "../../app/history/compare/compare-runs.ts";
import { count } from "../../foundation/count.ts";
import { formatDuration } from "../../foundation/duration.ts";
import type { DiffLine } from "../../foundation/line-diff.ts";
import { formatUsd } from "../../foundation/money.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { fitTable } from "../terminal/fit-table.ts";
import type { Glyphs } from "../terminal/glyphs.ts";
import type { Settings } from "../terminal/settings.ts";

/** Two runs side by side, for people. */
export function comparisonLines(comparison: RunComparison, settings: Settings): readonly string[] {
  const { glyphs } = settings;
  const { first, second, steps, divergence } = comparison;
  const rows = [
    ["", first.run, second.run, ""],
    ["workflow", nameOf(first), nameOf(second), ""],
    ["made from", originOf(first), originOf(second), ""],
    ["result", first.state, second.state, ""],
    ["duration", ...bothDurations(first, second)],
    ["cost", ...bothCosts(first, second)],
    ["messages", String(first.messages), String(second.messages), ""],
    ...steps.map((step) => stepRow(step, glyphs)),
  ].filter((row) => row[1] !== "" || row[2] !== "");
  const told =
    divergence === null
      ? "no step went another way"
      : `first difference: ${placeOf(divergence)} ${toPrintable(divergence.what)}`;
  return [...fitTable(rows, { settings, cuts: [3, 0, 1, 2] }), ...startLines(comparison), told];
}

/** What a step was asked and gave, as a unified diff with all lines. */
export function stepComparisonLines(
  { path, execution, prompt, output }: StepComparison,
  runs: { readonly first: string; readonly second: string },
): readonly string[] {
  const place = toPrintable(placeOf({ path, execution }));
  return [...unified(`${place} prompt`, prompt, runs), ...unified(`${place} output`, output, runs)];
}

const SIGNS: { readonly [kind in DiffLine["kind"]]: string } = {
  same: " ",
  added: "+",
  removed: "-",
};

function unified(
  title: string,
  lines: readonly DiffLine[],
  { first, second }: { readonly first: string; readonly second: string },
): readonly string[] {
  if (lines.every(({ kind }) => kind === "same"))
    return [`${title}: ${lines.length === 0 ? "none" : "the same"}`];
  return [
    `--- ${first} ${title}`,
    `+++ ${second} ${title}`,
    ...lines.map(({ kind, text }) => `${SIGNS[kind]}${toPrintable(text)}`),
  ];
}

function nameOf({ workflow, instance }: ComparedRun): string {
  return `${workflow}@${instance}`;
}

function originOf({ forkedFrom, rerunOf }: ComparedRun): string {
  if (forkedFrom !== null) return `fork of ${forkedFrom}`;
  return rerunOf === null ? "" : `rerun of ${rerunOf}`;
}

function bothDurations(first: ComparedRun, second: ComparedRun): readonly string[] {
  const [before, after] = [first.durationMs, second.durationMs];
  return [formatDuration(before), formatDuration(after), percent(before, after)];
}

function bothCosts(first: ComparedRun, second: ComparedRun): readonly string[] {
  const shown = ({ costUsd }: ComparedRun) => (costUsd === null ? "" : formatUsd(costUsd));
  return [shown(first), shown(second), percent(first.costUsd ?? 0, second.costUsd ?? 0)];
}

function percent(before: number, after: number): string {
  if (before <= 0 || after === before) return "";
  const change = Math.round(((after - before) / before) * 100);
  return `${change > 0 ? "+" : ""}${change}%`;
}

function stepRow(step: ComparedStep, glyphs: Glyphs): readonly string[] {
  const { first, second, promptChanges, output } = step;
  const notes = [
    ...(promptChanges === null
      ? []
      : [`prompt changed (+${promptChanges.added} -${promptChanges.removed})`]),
    ...(output === "changed" ? ["output changed"] : []),
  ];
  const cells = [executionCell(first, glyphs), executionCell(second, glyphs)];
  return [`step ${placeOf(step)}`, ...cells, notes.join(", ")];
}

function executionCell(execution: ComparedExecution | null, glyphs: Glyphs): string {
  if (execution === null) return "not begun";
  const { status, attempts, isReused } = execution;
  const tries = attempts > 1 ? ` ${count(attempts, "try", "tries")}` : "";
  const sign = status === "completed" ? glyphs.done : glyphs.failed;
  if (status === "completed" || status === "failed")
    return `${sign} ${isReused ? "reused" : status}${tries}`;
  return `${glyphs.skipped} ${status}${tries}`;
}

function placeOf({
  path,
  execution,
}: {
  readonly path: string;
  readonly execution: number;
}): string {
  return execution === 1 ? path : `${path} #${execution}`;
}

function startLines({ start }: RunComparison): readonly string[] {
  const changed = [
    ...(start.isSameDefinition ? [] : ["workflow"]),
    ...(start.isSameTask ? [] : ["task"]),
    ...(start.isSameInput ? [] : ["input"]),
    ...start.changedParams.map((name) => `params.${name}`),
  ];
  return changed.length === 0 ? [] : [`started with another ${toPrintable(changed.join(", "))}`];
}
