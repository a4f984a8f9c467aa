import { z } from "zod";
import type { CommandResult } from "../../contracts/host.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { StepAddress } from "../../contracts/step.ts";
import { type ErrorReport, toErrorReport } from "../../foundation/errors.ts";
import { type Json, toJson } from "../../foundation/json.ts";
import { shellFailed, stepTimedOut } from "../errors.ts";
import type { FailedTry } from "./execute-step.ts";

const ERROR_OUTPUT_CHARS = 2000;
const MAX_PREVIOUS_ERROR_CHARS = 16_384;

// It comes back from a journal.
const endedCommand = z.object({
  exitCode: z.number().nullable(),
  signal: z.string().nullable(),
  timedOut: z.boolean(),
  stdout: z.string(),
  stdoutTruncated: z.boolean(),
  stderr: z.string(),
});

/** How the command of a step ended, and what it printed. */
export type EndedCommand = z.infer<typeof endedCommand>;

/** What tells the command of a step where it stands, as agents with a command are told. */
export function stepCommandEnv(
  { run }: Pick<Context, "run">,
  { path, execution, attempt }: Omit<StepAddress, "id">,
  before: Pick<FailedTry, "error"> | undefined,
): { readonly [name: string]: string } {
  const error = before?.error.message.slice(0, MAX_PREVIOUS_ERROR_CHARS).toWellFormed();
  return {
    TROUPE_RUN: run.id,
    TROUPE_STEP: path,
    TROUPE_ATTEMPT: String(attempt),
    TROUPE_IDEMPOTENCY_KEY: `${run.id}/${path}#${execution}`,
    ...(error === undefined ? {} : { TROUPE_PREVIOUS_ERROR: withoutNul(error) }),
  };
}

/** The end of a command as journals hold it. */
export function commandEndOf(result: CommandResult): Json {
  return toJson(result, "the end of a command");
}

/** The end of a command, from a journal. */
export function readCommandEnd(value: Json): EndedCommand {
  return endedCommand.parse(value);
}

/** What a command printed, as the output of its step. */
export function printedOutput({
  stdout,
  stdoutTruncated,
}: Pick<EndedCommand, "stdout" | "stdoutTruncated">): {
  readonly output: string;
  readonly outputTruncated?: true;
} {
  const output = stdout.replace(/\r?\n$/, "");
  return stdoutTruncated ? { output, outputTruncated: true } : { output };
}

/** Why a command did not do its step: time, or another exit code than 0. */
export function commandFailure(
  { id, timeoutMs }: { readonly id: string; readonly timeoutMs: number },
  { exitCode, signal, timedOut, stdout, stderr }: EndedCommand,
): ErrorReport | undefined {
  if (timedOut) return toErrorReport(stepTimedOut({ step: id, timeoutMs }));
  if (exitCode === 0) return undefined;
  const ended = exitCode === null ? `signal ${signal ?? "unknown"}` : `exit ${exitCode}`;
  const end = (text: string) => text.trim().slice(-ERROR_OUTPUT_CHARS).toWellFormed();
  const output = end(stderr) === "" ? { output: end(stdout) } : {};
  return toErrorReport(shellFailed({ step: id, ended, stderr: end(stderr), ...output }));
}

/** A text as a variable of the environment can hold it. */
export function withoutNul(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}
