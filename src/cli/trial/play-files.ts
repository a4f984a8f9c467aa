import type { Machine } from "../../app/machine/machine.ts";
import { readTextFile } from "../../app/machine/place/read-text-file.ts";
import { testNothingSelected } from "../../app/trial/errors.ts";
import { keepRuns } from "../../app/trial/keep-run.ts";
import { type ReadTestFile, readTestFile } from "../../app/trial/read-test-file.ts";
import { type CaseResult, runCase } from "../../app/trial/run-case.ts";
import { count } from "../../foundation/count.ts";
import { formatDuration } from "../../foundation/duration.ts";
import { type ErrorReport, type Place, toErrorReport } from "../../foundation/errors.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { TROUPE } from "../command/called-as.ts";
import type { Invocation } from "../command/command.ts";
import { EXIT, exitCodeOf } from "../command/exit-codes.ts";
import { asCalled } from "../command/suggested-commands.ts";
import { inputPath } from "../prepare/read-input.ts";

/** What of which files is played. */
export interface FilesToPlay {
  readonly files: readonly string[];
  /** A text in the names of cases. */
  readonly only: string | undefined;
  readonly isJson: boolean;
}

/** How a case ended. */
interface CaseVerdict {
  readonly file: string;
  readonly name: string;
  readonly status: "passed" | "failed" | "broken";
  /** On the clock of the test, in ms. */
  readonly virtualMs: number | null;
  /** The run that was kept for whoever looks. */
  readonly run: string | null;
  readonly differences: readonly ShownDifference[];
  readonly error: ErrorReport | null;
  readonly exitCode: number;
}

interface ShownDifference extends Place {
  readonly path: string;
  readonly expected: string;
  readonly got: string;
}

const MAX_BYTES = 4 * 1024 * 1024;

/** Plays the cases of test files one after the other and tells how they end. Resolves with the exit code. */
export async function playFiles(
  machine: Machine,
  { files, only, isJson }: FilesToPlay,
  invocation: Invocation,
): Promise<number> {
  const startedAt = performance.now();
  const read = await readAll(files, invocation);
  assertSelected(read, only);
  const verdicts: CaseVerdict[] = [];
  for (const file of read) {
    const lines = createPrinter(invocation, isJson);
    lines.heading(file.file);
    for (const [index, given] of file.content.cases.entries()) {
      if (!isSelected(given.name, only)) continue;
      const verdict = await playCase(machine, file, index);
      verdicts.push(verdict);
      lines.verdict(verdict);
    }
  }
  const failed = verdicts.filter(({ status }) => status !== "passed").length;
  const passed = verdicts.length - failed;
  if (isJson) {
    const cases = verdicts.map(({ exitCode: _, ...verdict }) => verdict);
    invocation.io.stdout.write(`${JSON.stringify({ v: 1, passed, failed, cases })}\n`);
  } else tellSum({ passed, failed, tookMs: performance.now() - startedAt }, invocation);
  return Math.max(EXIT.completed, ...verdicts.map(({ exitCode }) => exitCode));
}

/** All files are read before any is played: a typing error is told at once. */
async function readAll(
  files: readonly string[],
  { settings }: Invocation,
): Promise<readonly ReadTestFile[]> {
  const read: ReadTestFile[] = [];
  for (const file of files) {
    const path = inputPath(file, settings);
    read.push(readTestFile(await readTextFile(path, MAX_BYTES), path));
  }
  return read;
}

function assertSelected(files: readonly ReadTestFile[], only: string | undefined): void {
  const names = files.flatMap(({ content }) => content.cases.map(({ name }) => name));
  if (only === undefined || names.some((name) => isSelected(name, only))) return;
  throw testNothingSelected({ pattern: only, cases: names.length });
}

/** Whether the name of a case has a text in it. */
export function isSelected(name: string, only: string | undefined): boolean {
  return only === undefined || name.toLowerCase().includes(only.toLowerCase());
}

async function playCase(
  machine: Machine,
  { file, content, placeOf }: ReadTestFile,
  index: number,
): Promise<CaseVerdict> {
  const { workflow, agents, cases } = content;
  const given = cases[index];
  if (given === undefined) throw new Error(`there is no case ${index}`);
  const about = { file, name: given.name };
  try {
    const result = await runCase(machine, { file, workflow, agents, given });
    const differences = result.differences.map(({ path, expected, got }) => ({
      path: ["expect", ...path].join("."),
      expected,
      got,
      ...placeOf(["cases", index, "expect", ...path]),
    }));
    const isGood = differences.length === 0;
    return {
      ...about,
      status: isGood ? "passed" : "failed",
      virtualMs: result.virtualMs,
      run: isGood ? null : await keep(machine, result),
      differences,
      error: null,
      exitCode: isGood ? EXIT.completed : EXIT.failed,
    };
  } catch (error) {
    const exitCode = exitCodeOf(error);
    const report = toErrorReport(error);
    return {
      ...about,
      ...{ status: "broken", virtualMs: null, run: null, differences: [], error: report },
      exitCode: exitCode === EXIT.completed ? EXIT.failed : exitCode,
    };
  }
}

async function keep(machine: Machine, { run }: CaseResult): Promise<string> {
  await keepRuns(machine, run.stage);
  return run.id;
}

function createPrinter({ io, settings }: Invocation, isJson: boolean) {
  const { glyphs, paint, isQuiet } = settings;
  const print = (line: string) => {
    if (!isJson) io.stdout.write(`${line}\n`);
  };
  return {
    heading: (file: string) => {
      if (!isQuiet) print(file);
    },
    verdict: (verdict: CaseVerdict) => {
      const { name, status, virtualMs, run, differences, error } = verdict;
      const title = toPrintable(name);
      if (status === "passed") {
        const time = paint(formatDuration(virtualMs ?? 0), "aside");
        if (!isQuiet) print(`  ${paint(glyphs.done, "done")} ${title}  ${time}`);
        return;
      }
      print(`  ${paint(glyphs.failed, "failed")} ${title}`);
      for (const { file, line, column, path, expected, got } of differences) {
        print(`    ${paint([file, line, column].join(":"), "place")}  ${path}`);
        print(`      expected ${toPrintable(expected)}`);
        print(`      got      ${toPrintable(got)}`);
      }
      for (const line of error === null ? [] : errorLines(error)) print(`    ${line}`);
      if (run !== null) print(`    the run is kept: ${TROUPE} show ${run}`);
    },
  };
}

function errorLines({ code, message, hint }: ErrorReport): readonly string[] {
  const [first = "", ...rest] = message.split("\n").map(toPrintable);
  const hints = hint === undefined ? [] : [`  = ${toPrintable(asCalled(hint))}`];
  return [`error[${code}]: ${first}`, ...rest, ...hints];
}

function tellSum(
  { passed, failed, tookMs }: { passed: number; failed: number; tookMs: number },
  { io, settings }: Invocation,
): void {
  if (settings.isQuiet && failed === 0) return;
  const { glyphs, paint } = settings;
  const sign = failed === 0 ? paint(glyphs.done, "done") : paint(glyphs.failed, "failed");
  const failures = failed === 0 ? "" : `${failed} failed ${glyphs.dot} `;
  io.stdout.write(
    `${sign} ${failures}${passed} of ${count(passed + failed, "case")} passed in ${formatDuration(tookMs)}\n`,
  );
}
