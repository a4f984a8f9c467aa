import { reportWarning } from "../command/report-error.ts";
import { inputPath } from "../prepare/read-input.ts";
import type { Progress } from "../view/progress.ts";
import { type ReportSurroundings, shownPath, writeReport } from "./write-report.ts";

/** What is told while a run goes on decides what is told of its report. */
export interface ReportAtEnd extends ReportSurroundings {
  readonly progress: Progress;
}

/** Writes the report that `--report` asks for. That it cannot be written is told and changes nothing else. */
export async function reportAtEnd(
  run: string,
  given: string | undefined,
  attendance: ReportAtEnd,
): Promise<void> {
  if (given === undefined) return;
  const { io, settings, progress } = attendance;
  const path = inputPath(given, settings);
  try {
    await writeReport({ run, path, isForSharing: false }, attendance);
  } catch (error) {
    reportWarning(error, io, settings);
    return;
  }
  const isForScripts = progress === "json" || progress === "json-all" || progress === "quiet";
  if (!isForScripts) io.stdout.write(`report ${shownPath(path, io)}\n`);
}
