import {
  type FailedStep,
  failedOutput,
  failedSteps,
  nextCommands,
} from "../../../fold/failed-output.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { count } from "../../../foundation/count.ts";
import type { ErrorReport } from "../../../foundation/errors.ts";
import { toPrintable, toPrintableLines } from "../../../foundation/printable.ts";
import { asCalled } from "../../command/suggested-commands.ts";
import type { LineContext } from "./line-table.ts";

// More of them would hide each other; `troupe show` has all.
const MAX_STEPS = 5;
const MAX_OUTPUT_LINES = 20;
const MAX_LINE_CHARS = 400;

/** Why a run failed, and what to do next (USE-1); nothing for one that did not, or that goes on. */
export function failureLines(context: LineContext): readonly string[] {
  const { state } = context;
  const { phase } = state;
  if (phase.status !== "ended" || phase.outcome !== "failed") return [];
  const failed = failedSteps(state);
  return [
    ...failed.slice(0, MAX_STEPS).flatMap((step) => stepLines(step, context)),
    ...ownHint(phase.error, failed),
    ...countLine(state, failed.length),
    asCalled(`next: ${nextCommands(state).join(` ${context.glyphs.dot} `)}`),
  ];
}

/** What to do about the error of the run itself, unless it is that of a step, which tells it. */
function ownHint(error: ErrorReport | undefined, failed: readonly FailedStep[]): readonly string[] {
  if (error?.hint === undefined || failed.some((step) => step.error.code === error.code)) return [];
  return [`  = ${toPrintable(asCalled(error.hint))}`];
}

function stepLines(step: FailedStep, { state, glyphs, whole }: LineContext): readonly string[] {
  const { path, error } = step;
  const lines = toPrintableLines(failedOutput(state, step).trimEnd());
  const [only = ""] = lines;
  // A single line that the message ends with is not told twice.
  const isTold = lines.length === 1 && toPrintable(error.message).endsWith(only);
  const output = isTold ? [] : lines.slice(-MAX_OUTPUT_LINES);
  return [
    `${glyphs.failed} ${toPrintable(path)}: ${whole(error.message)} [${error.code}]`,
    ...output.map((line) => `  | ${cut(line, glyphs.ellipsis)}`),
    ...(error.hint === undefined ? [] : [`  = ${toPrintable(asCalled(error.hint))}`]),
  ];
}

function cut(line: string, ellipsis: string): string {
  return line.length > MAX_LINE_CHARS
    ? `${line.slice(0, MAX_LINE_CHARS).toWellFormed()}${ellipsis}`
    : line;
}

function countLine({ steps }: RunState, failed: number): readonly string[] {
  if (failed === 0) return [];
  const { blocked, cancelled } = steps.counts;
  const parts = [
    `${failed} of ${count(steps.byPath.size, "step")} failed`,
    ...(blocked === 0 ? [] : [`${blocked} blocked`]),
    ...(cancelled === 0 ? [] : [`${cancelled} cancelled`]),
  ];
  return [parts.join(", ")];
}
