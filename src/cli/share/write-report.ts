import { isAbsolute, relative, resolve } from "node:path";
import { reportHeldSecrets } from "../../app/history/errors.ts";
import { createReport } from "../../app/history/run-report.ts";
import type { Machine } from "../../app/machine/machine.ts";
import { writeTextFile } from "../../app/machine/place/write-text-file.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { reportWarning } from "../command/report-error.ts";
import { inputPath } from "../prepare/read-input.ts";
import type { Io } from "../terminal/io.ts";
import type { Settings } from "../terminal/settings.ts";
import type { Progress } from "../view/progress.ts";

/** What a report is made of, and where it goes. */
export interface ReportOrder {
  readonly run: string;
  readonly path: string;
  readonly isForSharing: boolean;
}

/** Where a report is made, and where is told of it. */
export interface ReportSurroundings {
  readonly machine: Machine;
  readonly io: Io;
  readonly settings: Settings;
}

const OWNER_ONLY = 0o600;

/**
 * Writes the report of a run into a file that only its owner can read, after a warning if secrets stand in the
 * run. Raises what createReport raises and FILE_UNWRITABLE.
 */
export async function writeReport(
  { run, path, isForSharing }: ReportOrder,
  { machine, io, settings }: ReportSurroundings,
): Promise<void> {
  const { html, maskedTexts } = await createReport(machine, run, { isForSharing });
  if (maskedTexts > 0) reportWarning(reportHeldSecrets({ run, texts: maskedTexts }), io, settings);
  writeTextFile(path, html, OWNER_ONLY);
}

/** A path as the process's own directory sees it: relative if it lies in it. */
export function shownPath(path: string, { cwd }: Io): string {
  const near = relative(cwd, resolve(path));
  const isOutside = near === "" || near.startsWith("..") || isAbsolute(near);
  return toPrintable(isOutside ? path : near);
}

/** What is told while a run goes on decides what is told of its report. */
interface ReportAtEnd extends ReportSurroundings {
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
