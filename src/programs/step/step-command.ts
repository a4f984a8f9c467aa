import { z } from "zod";
import {
  errorText,
  type FailureSource,
  outputCommand,
  recordFailure,
  toldError,
} from "../../contracts/failure.ts";
import type { CommandRequest, CommandResult, Host } from "../../contracts/host.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { StepAddress } from "../../contracts/step.ts";
import type { CommandEnd, FailureRecord } from "../../contracts/step-facts.ts";
import { type ErrorReport, toErrorReport } from "../../foundation/errors.ts";
import { keepPrinted } from "../../foundation/failure-report/printed-output.ts";
import { type Json, toJson } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
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
  failure: z
    .object({
      exitCode: z.number().nullable(),
      signal: z.string().nullable(),
      stdout: z.string(),
      stderr: z.string(),
      report: z.string().exactOptional(),
    })
    .exactOptional(),
});

/** How the command of a step ended, and what it printed. */
export type EndedCommand = z.infer<typeof endedCommand>;

/** What tells the command of a step where it stands, as agents with a command are told. */
export function stepCommandEnv(
  { run }: Pick<Context, "run">,
  { path, execution, attempt }: Omit<StepAddress, "id">,
  {
    definition,
    before,
  }: {
    readonly definition: { readonly format: number };
    readonly before: Pick<FailedTry, "error"> | undefined;
  },
): { readonly [name: string]: string } {
  const error =
    before === undefined
      ? undefined
      : errorText(definition, before.error).slice(0, MAX_PREVIOUS_ERROR_CHARS).toWellFormed();
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

/**
 * Runs the command of a step. If it fails its result has the failure, with the report that agents get: made here, once, so
 * that a replay by a later version reads the same.
 */
export async function runStepCommand(
  host: Host,
  request: CommandRequest,
  {
    run,
    step,
    signal,
  }: { readonly run: string; readonly step: string; readonly signal: AbortSignal },
): Promise<Json> {
  const result = await runWithFailure(host, request, {
    from: { all: outputCommand(run, step) },
    signal,
  });
  return commandEndOf(result);
}

/** A command's result, and its failure unless it ended with the exit code that counts as success. */
export async function runWithFailure(
  host: Host,
  request: CommandRequest,
  {
    from,
    signal,
    expectExit = 0,
  }: { readonly from: FailureSource; readonly signal: AbortSignal; readonly expectExit?: number },
): Promise<CommandResult & { readonly failure?: FailureRecord }> {
  const heads = { stdout: createHead(), stderr: createHead() };
  const result = await host.run(
    {
      ...request,
      onOutput: (stream, chunk) => {
        heads[stream].push(chunk);
        request.onOutput?.(stream, chunk);
      },
    },
    signal,
  );
  const { exitCode, timedOut } = result;
  if (exitCode === expectExit && !timedOut) return result;
  const printed = {
    exitCode: timedOut ? null : exitCode,
    signal: timedOut ? null : result.signal,
    stdout: result.stdoutTruncated ? `${heads.stdout.text()}\n${result.stdout}` : result.stdout,
    stderr: result.stderrTruncated ? `${heads.stderr.text()}\n${result.stderr}` : result.stderr,
  };
  return { ...result, failure: recordFailure(printed, from) };
}

// Enough for the 16 Ki characters that failures keep, whose cut falls between words: a cut here could halve a secret.
const HEAD_BYTES = 4 * 17 * 1024;

/** The beginning of a stream, of which only the end is kept elsewhere. */
function createHead() {
  const decoder = new TextDecoder();
  let text = "";
  let sizeBytes = 0;
  return {
    push: (chunk: Uint8Array) => {
      if (sizeBytes >= HEAD_BYTES) return;
      text += decoder.decode(chunk.subarray(0, HEAD_BYTES - sizeBytes), { stream: true });
      sizeBytes += chunk.length;
    },
    text: () => text,
  };
}

/** How a command ended, as variables and `show` have it. */
export function commandEnd(
  step: { readonly id: string; readonly timeoutMs: number },
  ended: EndedCommand,
): CommandEnd {
  const { exitCode, timedOut } = ended;
  const error = commandFailure(step, ended);
  return {
    exitCode: timedOut ? null : exitCode,
    stdout: printedOutput(ended).output,
    stderr: keepPrinted(ended.stderr).replace(/\n$/, ""),
    ...present({ error: error === undefined ? undefined : toldError(error) }),
  };
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
  { exitCode, signal, timedOut, stdout, stderr, failure }: EndedCommand,
): ErrorReport | undefined {
  const kept = present({ failure });
  if (timedOut) return toErrorReport(stepTimedOut({ step: id, timeoutMs, ...kept }));
  if (exitCode === 0) return undefined;
  const ended = exitCode === null ? `signal ${signal ?? "unknown"}` : `exit ${exitCode}`;
  const end = (text: string) => text.trim().slice(-ERROR_OUTPUT_CHARS).toWellFormed();
  const output = end(stderr) === "" ? { output: end(stdout) } : {};
  return toErrorReport(shellFailed({ step: id, ended, stderr: end(stderr), ...output, ...kept }));
}

/** A text as a variable of the environment can hold it. */
export function withoutNul(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}
