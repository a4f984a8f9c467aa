import { outputCommand } from "../../../contracts/failure.ts";
import {
  type FailedStep,
  failedSteps,
  nextCommands,
  stepReport,
} from "../../../fold/failed-output.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { count } from "../../../foundation/count.ts";
import type { ErrorReport } from "../../../foundation/errors.ts";
import { toPrintable } from "../../../foundation/printable.ts";
import { asCalled } from "../../command/suggested-commands.ts";
import type { LineContext } from "./line-table.ts";

// More of them would hide each other; `troupe show` has all.
const MAX_STEPS = 5;

/** Why a run failed, and what to do next (USE-1); nothing for one that did not, or that goes on. */
export function failureLines(context: LineContext): readonly string[] {
  const { state } = context;
  const { phase } = state;
  if (phase.status !== "ended" || phase.outcome !== "failed") return [];
  const failed = failedSteps(state);
  return [
    ...failed.slice(0, MAX_STEPS).flatMap((step, index) => stepLines(step, context, index === 0)),
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

/** One failure whole, further ones by their first line. */
function stepLines(
  step: FailedStep,
  { state, glyphs, whole }: LineContext,
  isWhole: boolean,
): readonly string[] {
  const { path, error } = step;
  const { message, lines, isCut } = stepReport(state, step);
  const rest = isCut ? [`all of it: ${outputCommand(state.run.id, path)}`] : [];
  const shown = isWhole ? [...lines, ...rest.map((line) => asCalled(line))] : [];
  return [
    `${glyphs.failed} ${toPrintable(path)}: ${whole(message)} [${error.code}]`,
    ...shown.map((line) => `  | ${toPrintable(line)}`.trimEnd()),
    ...(error.hint === undefined ? [] : [`  = ${toPrintable(asCalled(error.hint))}`]),
  ];
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
