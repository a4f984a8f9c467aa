import { faultMask } from "../app/mask-fault.ts";
import { type ErrorReport, toErrorReport } from "../foundation/errors.ts";
import { toPrintableLines } from "../foundation/printable.ts";
import { TROUPE } from "./called-as.ts";
import { EXIT, exitCodeOf } from "./exit-codes.ts";
import type { Io } from "./io.ts";
import type { Paint } from "./paint.ts";
import type { Settings } from "./settings.ts";
import { asCalled } from "./suggested-commands.ts";

/**
 * Tells why a command came to nothing. Returns the exit code. With `--json` the error is one line of JSON: on
 * standard output, as the document, for a command that prints one; on standard error for a command that
 * prints events, because its standard output has nothing but events.
 */
export function reportError(error: unknown, io: Io, settings: Settings): number {
  const exitCode = exitCodeOf(error);
  // A text that nobody wrote for people may hold anything.
  const mask = exitCode === EXIT.internal ? faultMask(io.env) : (text: string) => text;
  if (settings.errorForm !== "text") {
    const output = settings.errorForm === "document" ? io.stdout : io.stderr;
    output.write(mask(`${JSON.stringify({ v: 1, error: toJsonReport(error, settings) })}\n`));
    return exitCode;
  }
  const paint = settings.paintError;
  io.stderr.write(mask(`${renderReport(toErrorReport(error), "error", paint)}\n`));
  if (exitCode === EXIT.internal)
    io.stderr.write(mask(`${bugReport(error, settings).join("\n")}\n`));
  return exitCode;
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

/** The report; of a fault in troupe itself with its trace, if that is wanted. */
function toJsonReport(error: unknown, { isVerbose }: Settings): ErrorReport {
  const report = withCommands(toErrorReport(error));
  const stack = error instanceof Error ? error.stack : undefined;
  const isTraced = isVerbose && exitCodeOf(error) === EXIT.internal && stack !== undefined;
  return isTraced ? { ...report, details: { stack } } : report;
}

function withCommands(report: ErrorReport): ErrorReport {
  return report.hint === undefined ? report : { ...report, hint: asCalled(report.hint) };
}

function bugReport(error: unknown, { isVerbose }: Settings): readonly string[] {
  const stack = error instanceof Error ? error.stack : undefined;
  if (isVerbose && stack !== undefined) return toPrintableLines(stack);
  return [
    `  = this is a fault in troupe itself. Runs are safe: ${TROUPE} runs lists them, ${TROUPE} resume goes on.`,
    `    To report it, run it again with --verbose and send what it prints, with ${TROUPE} doctor --bug-report.`,
  ];
}
