import { failureOf, showStepCommand } from "../contracts/failure.ts";
import { commandInData } from "../contracts/step-facts.ts";
import type { ErrorReport } from "../foundation/errors.ts";
import {
  failureCause,
  failureReport,
  REPORT_FOR_PEOPLE,
  type ReportSize,
} from "../foundation/failure-report/failure-report.ts";
import { lastWords, type PrintedOutput } from "../foundation/failure-report/printed-output.ts";
import { isRecord } from "../foundation/json.ts";
import type { RunState } from "./state/run-state.ts";
import type { StepState } from "./state/step-state.ts";

/** A step whose latest execution failed. */
export type FailedStep = Extract<StepState, { readonly status: "failed" }>;

/** The steps that failed for good, in the order of their first appearance. */
export function failedSteps({ steps }: RunState): readonly FailedStep[] {
  return [...steps.byPath.values()].filter((step) => step.status === "failed");
}

/** Report of a failed step for people. */
export interface StepReport {
  /** The message of its error, with the cause of the failure where that is known. */
  readonly message: string;
  /** The lines that explain it; none where the message says all. */
  readonly lines: readonly string[];
  /** Whether there is more output than the lines have. */
  readonly isCut: boolean;
}

/** What people see of a failed step, from what is recorded of it: also in runs of earlier versions (FAIL-5, FAIL-7). */
export function stepReport(
  state: RunState,
  step: FailedStep,
  size: ReportSize = REPORT_FOR_PEOPLE,
): StepReport {
  const printed = printedBy(state, step);
  const message = shownMessage(step.error, printed);
  if (printed === undefined) return { message, lines: [], isCut: false };
  const { lines, isWhole } = failureReport(printed, size);
  const [, ...body] = lines;
  const [only = ""] = body;
  const isSaid = body.length === 1 && message.endsWith(only.trim());
  return { message, lines: isSaid ? [] : body, isCut: !isWhole };
}

/** Output of what failed a step: its check, its command, else what its agent had said. Undefined where nothing is known. */
export function printedBy({ steps }: RunState, step: FailedStep): PrintedOutput | undefined {
  if (step.failure !== undefined) return step.failure;
  const check = steps.verifications.get(step.step);
  if (step.error.code === "STEP_VERIFICATION_FAILED" && check?.hasPassed === false)
    return check.failure ?? saidOnly(check.output);
  const inData = commandInData(step.data ?? null);
  if (inData !== undefined) return { ...inData, signal: null };
  return printedBefore(step.error) ?? saidOnly(step.said);
}

/** Streams of earlier journals: the end of one of them, in the details of the error. */
function printedBefore({ details }: ErrorReport): PrintedOutput | undefined {
  if (!isRecord(details)) return undefined;
  const { output, stderr } = details;
  const stdout = typeof output === "string" ? output : "";
  const printed = { stdout, stderr: typeof stderr === "string" ? stderr : "" };
  return printed.stdout.trim() === "" && printed.stderr.trim() === ""
    ? undefined
    : { exitCode: null, signal: null, ...printed };
}

function saidOnly(text: string): PrintedOutput | undefined {
  if (text.trim() === "") return undefined;
  return { exitCode: null, signal: null, stdout: text, stderr: "" };
}

/** The message of an error as people see it: with the cause in place of the last line that was printed. */
export function shownMessage(error: ErrorReport, printed?: PrintedOutput): string {
  const { message, details, code } = error;
  const known = printed ?? failureOf(error);
  const cause = known === undefined ? recordedCause(details) : failureCause(known);
  if (!isRecord(details) || cause === "") return message;
  if (code === "STEP_VERIFICATION_FAILED") {
    const { output } = details;
    const isLong = typeof output === "string" && output !== "" && message.endsWith(output);
    const end = known?.exitCode === null || known === undefined ? "" : `exit ${known.exitCode}: `;
    return isLong ? `${message.slice(0, message.length - output.length)}${end}${cause}` : message;
  }
  if (code === "WORKFLOW_SETUP_FAILED") {
    const { stderr } = details;
    const isLast = typeof stderr === "string" && stderr !== "" && message.endsWith(stderr);
    return `${isLast ? message.slice(0, message.length - stderr.length) : `${message}: `}${cause}`;
  }
  if (code !== "STEP_SHELL_FAILED" && code !== "BACKEND_COMMAND_FAILED") return message;
  const { output, stderr } = details;
  const words = lastWords([output, stderr].find((text) => typeof text === "string") ?? "");
  if (words === "") return `${message}: ${cause}`;
  return message.endsWith(words) ? `${message.slice(0, -words.length)}${cause}` : message;
}

/** Why a run ended as people see it: with the error of the step that failed as they see that. */
export function shownReason(
  state: RunState,
  { reason, error: own }: { readonly reason: string; readonly error?: ErrorReport | undefined },
): string {
  const errors = [own, ...failedSteps(state).map(({ error }) => error)];
  const error = errors.find((each) => each !== undefined && reason.endsWith(each.message));
  if (error === undefined) return reason;
  return `${reason.slice(0, reason.length - error.message.length)}${shownMessage(error)}`;
}

function recordedCause(details: unknown): string {
  const cause = isRecord(details) ? details["cause"] : undefined;
  return typeof cause === "string" ? cause : "";
}

/** What to do about a run that failed, as command lines (USE-1); none for one that did not, or that goes on. */
export function nextCommands(state: RunState): readonly string[] {
  const { phase, run } = state;
  if (phase.status !== "ended" || phase.outcome !== "failed") return [];
  const [first] = failedSteps(state);
  if (first === undefined) return [`troupe logs ${run.id}`];
  const again =
    run.parent === undefined ? `troupe rerun ${run.id} --failed` : `troupe show ${run.parent.run}`;
  return [again, showStepCommand(run.id, first.step)];
}
