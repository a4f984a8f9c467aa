import { resultOutput } from "../../fold/result-output.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { fromErrorReport } from "../../foundation/errors.ts";
import { toPrintableLines } from "../../foundation/printable.ts";
import { reportError } from "../command/report-error.ts";
import { resumeCommandOf } from "../command/resume-command.ts";
import type { Io } from "../terminal/io.ts";
import { paintSign } from "../terminal/paint-sign.ts";
import type { Settings } from "../terminal/settings.ts";
import { writeLines } from "../terminal/write-lines.ts";
import { finalSummary, resultLines } from "../view/final-summary.ts";
import { answerCommands, describeItem } from "../view/parts/answer-commands.ts";
import { wholeLine } from "../view/parts/excerpt.ts";
import type { Progress } from "../view/progress.ts";

/** Where and how the end of an attendance is told. */
export interface Telling {
  readonly io: Io;
  readonly settings: Settings;
  readonly progress: Progress;
}

// Their lines or their summary say it.
const SHOWS_SUSPENSION: ReadonlySet<Progress> = new Set(["tty", "plain", "none"]);

/** Says what the progress before has not said: the result, or what a run that was let go waits for. */
export async function tellParting(state: RunState, telling: Telling): Promise<void> {
  const { progress, settings } = telling;
  if (progress === "plain" && state.phase.status === "ended")
    await writePainted(telling, resultLines(state, settings));
  if (progress === "none") await writePainted(telling, finalSummary(state, settings));
  if (progress === "tty")
    await writePainted(resized(telling), finalSummary(state, resized(telling).settings));
  if (progress === "quiet" && state.phase.status === "ended") tellOutput(state, telling);
  if (progress === "quiet") tellShortfall(state, telling);
  if (!SHOWS_SUSPENSION.has(progress)) tellSuspension(state, telling);
}

/** Tells of a run that was over before: the whole summary instead of progress. */
export async function tellPast(state: RunState, telling: Telling): Promise<void> {
  if (telling.progress === "quiet") tellOutput(state, telling);
  else await writePainted(telling, finalSummary(state, telling.settings));
}

/** The terminal may have got another size since the run began. */
function resized(telling: Telling): Telling {
  const { settings, io } = telling;
  const { width, maxColumns } = settings;
  const { columns } = io.stdout;
  return {
    ...telling,
    settings: { ...settings, width: columns ?? width, maxColumns: columns ?? maxColumns },
  };
}

function writePainted(telling: Telling, lines: readonly string[]): Promise<void> {
  return writeLines(
    telling,
    lines.map((line) => paintSign(line, telling.settings)),
  );
}

function tellOutput(state: RunState, { io }: Telling): void {
  const output = resultOutput(state);
  if (output === "") return;
  // A pipe gets what the agent wrote; a terminal gets nothing that could drive it.
  const text = io.stdout.isTerminal ? toPrintableLines(output).join("\n") : output;
  io.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}

/** Whoever sees nothing but the output must learn that it is not all, or none. */
function tellShortfall({ run, phase }: RunState, { io, settings }: Telling): void {
  if (phase.status !== "ended" || phase.outcome === "completed") return;
  if (phase.error !== undefined) {
    reportError(fromErrorReport(phase.error), io, settings);
    return;
  }
  const [reason = ""] = toPrintableLines(phase.reason);
  io.stderr.write(`${run.id} ended as ${phase.outcome}: ${reason}\n`);
}

function tellSuspension(state: RunState, { io, settings }: Telling): void {
  const { run, phase } = state;
  if (phase.status !== "suspended") return;
  if (phase.error !== undefined) {
    reportError(fromErrorReport(phase.error), io, settings);
    return;
  }
  const items = phase.waitingFor.map((item) => {
    const commands = answerCommands(item, run.id).join(` ${settings.glyphs.dot} `);
    return `${describeItem(item, wholeLine(item.text))}  ${commands}\n`;
  });
  io.stderr.write(
    `${items.join("")}${run.id} is ${wordFor(phase.reason)}: ${resumeCommandOf(state)}\n`,
  );
}

function wordFor(reason: "interrupted" | "paused" | "waiting"): string {
  if (reason === "waiting") return "waiting for people";
  return `${reason === "interrupted" ? "suspended" : reason}, its state is saved`;
}
