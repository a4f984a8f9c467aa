import type { ErrorReport } from "../foundation/errors.ts";
import {
  failureCause,
  failureReport,
  REPORT_FOR_AGENTS,
  reportLines,
} from "../foundation/failure-report/failure-report.ts";
import { keepPrinted, type PrintedOutput } from "../foundation/failure-report/printed-output.ts";
import { isRecord } from "../foundation/json.ts";
import { present } from "../foundation/present.ts";
import { toShellWord } from "../foundation/printable.ts";
import { hasOneLanguage } from "./definition-format.ts";
import type { AllowedError, FailureRecord } from "./step-facts.ts";

/** Where a failure comes from, for those who read its report. */
export interface FailureSource {
  /** The command that shows all of the output. */
  readonly all: string;
  /** What its report begins with: the check that failed. */
  readonly of?: string;
}

/** A failure as journals keep it, with its report for agents. */
export function recordFailure(printed: PrintedOutput, { all, of }: FailureSource): FailureRecord {
  const { exitCode, signal } = printed;
  const kept = { stdout: keepPrinted(printed.stdout), stderr: keepPrinted(printed.stderr) };
  const failure = { exitCode, signal, ...kept };
  const lines = reportLines(failureReport(failure, REPORT_FOR_AGENTS), all).join("\n");
  return { ...failure, report: of === undefined ? lines : `${of}: ${lines}` };
}

/** The command that shows a step. */
export function showStepCommand(run: string, step: string): string {
  return `troupe show ${run} --step ${toShellWord(step)}`;
}

/** The command that shows all that a step printed. */
export function outputCommand(run: string, step: string): string {
  return `${showStepCommand(run, step)} --output`;
}

/** What an error says of the output of the program that failed; undefined for all other errors. */
export function failureOf({ details }: Pick<ErrorReport, "details">): FailureRecord | undefined {
  if (!isRecord(details)) return undefined;
  return toFailureRecord(details["failure"]);
}

/** A failure as the details of an error and the results of operations hold it; undefined for anything else. */
export function toFailureRecord(value: unknown): FailureRecord | undefined {
  if (!isRecord(value)) return undefined;
  const { exitCode, signal, stdout, stderr, report } = value;
  if (typeof stdout !== "string" || typeof stderr !== "string") return undefined;
  return {
    exitCode: typeof exitCode === "number" ? exitCode : null,
    signal: typeof signal === "string" ? signal : null,
    stdout,
    stderr,
    ...present({ report: typeof report === "string" ? report : undefined }),
  };
}

/** The error with the cause alone in place of the output, which events keep once. */
export function withoutFailure(error: ErrorReport): ErrorReport {
  const { details, ...others } = error;
  if (!isRecord(details) || details["failure"] === undefined) return error;
  const { failure: _kept, ...rest } = details;
  const failure = failureOf(error);
  const cause = failure === undefined ? "" : failureCause(failure);
  return { ...others, details: { ...rest, ...(cause === "" ? {} : { cause }) } };
}

/** What the next attempt gets of an error: its report where the run has reports, else its message. */
export function errorText(
  definition: { readonly format: number },
  error: Pick<ErrorReport, "message" | "details">,
): string {
  return (hasOneLanguage(definition) ? failureOf(error)?.report : undefined) ?? error.message;
}

/** `{code, message, report}` of an error. */
export function toldError({ code, message, details }: ErrorReport): AllowedError {
  return { code, message, report: failureOf({ details })?.report ?? message };
}

/** Members of an event that keep the failure of an error. */
export function keptFailure(error: ErrorReport): { readonly failure?: FailureRecord } {
  return present({ failure: failureOf(error) });
}
