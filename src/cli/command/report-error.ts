import { faultMask } from "../../app/machine/place/mask-fault.ts";
import { type ErrorReport, shortenInternal, toErrorReport } from "../../foundation/errors.ts";
import { toPrintableLines } from "../../foundation/printable.ts";
import { toShortageError } from "../../foundation/shortage.ts";
import type { Io } from "../terminal/io.ts";
import type { Paint } from "../terminal/paint.ts";
import { readSettings, type Settings } from "../terminal/settings.ts";
import { TROUPE } from "./called-as.ts";
import { errorFormOfUnread } from "./error-form.ts";
import { outputUnwritable } from "./errors.ts";
import { EXIT, exitCodeOf } from "./exit-codes.ts";
import { asCalled } from "./suggested-commands.ts";

/**
 * Tells why a command came to nothing. Returns the exit code. With `--json` the error is one line of JSON: on
 * standard output, as the document, for a command that prints one; on standard error for a command that
 * prints events, because its standard output has nothing but events.
 */
export function reportError(thrown: unknown, io: Io, settings: Settings): number {
  const error = toShortageError(thrown) ?? thrown;
  const exitCode = exitCodeOf(error);
  // A text that nobody wrote for people may hold anything.
  const mask = exitCode === EXIT.internal ? faultMask(io.env) : (text: string) => text;
  const report = reportOf(error, mask);
  const trace = settings.isVerbose && exitCode === EXIT.internal ? traceOf(error, mask) : undefined;
  if (settings.errorForm !== "text") {
    const output = settings.errorForm === "document" ? io.stdout : io.stderr;
    const traced = trace === undefined ? report : { ...report, details: { stack: trace } };
    output.write(`${JSON.stringify({ v: 1, error: traced })}\n`);
    return exitCode;
  }
  io.stderr.write(`${renderReport(report, "error", settings.paintError)}\n`);
  if (exitCode === EXIT.internal)
    io.stderr.write(
      `${(trace === undefined ? HOW_TO_REPORT : toPrintableLines(trace)).join("\n")}\n`,
    );
  return exitCode;
}

/**
 * Tells on standard error, with `--json` as one line of JSON, that what a command had to say could not be written. Returns
 * the exit code, never 0.
 */
export async function reportUnwritten(
  problem: string,
  exitCode: number,
  { args, io }: { readonly args: readonly string[]; readonly io: Io },
): Promise<number> {
  const form = errorFormOfUnread(args, []) === "text" ? "text" : "lines";
  const told = reportError(outputUnwritable({ problem }), io, readSettings({}, io, form));
  await io.stderr.flush();
  return exitCode === EXIT.completed ? told : exitCode;
}

/** Tells on standard error what is doubtful and harmless; with `--json` as one line of JSON. */
export function reportWarning(error: unknown, io: Io, settings: Settings): void {
  if (settings.errorForm !== "text") {
    io.stderr.write(`${JSON.stringify({ v: 1, warning: withCommands(toErrorReport(error)) })}\n`);
    return;
  }
  io.stderr.write(`${renderReport(toErrorReport(error), "warning", settings.paintError)}\n`);
}

/** `error[CODE]: message`, where it is, and what to do about it; without a line break at the end. */
function renderReport(report: ErrorReport, severity: "error" | "warning", paint: Paint): string {
  const [first = "", ...rest] = toPrintableLines(report.message);
  const place = [report.file, report.line, report.column].filter((part) => part !== undefined);
  const [hint, ...moreHints] = toPrintableLines(asCalled(report.hint ?? "")).filter(
    (line) => line !== "",
  );
  return [
    `${paint(`${severity}[${report.code}]`, severity)}${paint(`: ${first}`, "message")}`,
    ...rest,
    ...(place.length === 0 ? [] : [` ${paint("-->", "gutter")} ${place.join(":")}`]),
    ...(hint === undefined ? [] : [`  ${paint("=", "gutter")} ${paint(hint, "hint")}`]),
    ...moreHints.map((line) => `    ${paint(line, "hint")}`),
  ].join("\n");
}

/** What is wrong, with suggested commands as Troupe was called. */
function reportOf(error: unknown, mask: (text: string) => string): ErrorReport {
  const report = toErrorReport(error);
  return withCommands(shortenInternal({ ...report, message: mask(report.message) }));
}

function traceOf(error: unknown, mask: (text: string) => string): string | undefined {
  return error instanceof Error && error.stack !== undefined ? mask(error.stack) : undefined;
}

function withCommands(report: ErrorReport): ErrorReport {
  return report.hint === undefined ? report : { ...report, hint: asCalled(report.hint) };
}

const HOW_TO_REPORT = [
  `  = this is a fault in troupe itself. Runs are safe: ${TROUPE} runs lists them, ${TROUPE} resume goes on.`,
  `    To report it, run it again with --verbose and send what it prints, with ${TROUPE} doctor --bug-report.`,
];
