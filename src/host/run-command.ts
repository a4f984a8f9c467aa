import type { CommandRequest, CommandResult } from "../contracts/host.ts";
import { type BoundedOutput, createBoundedOutput } from "../foundation/bounded-output.ts";
import type { Clock } from "../foundation/clock.ts";
import { MAX_OUTPUT_CHARS } from "../foundation/output-end.ts";
import { present } from "../foundation/present.ts";
import type { SecretMasker } from "../foundation/secret-masker.ts";
import type { ManagedProcess, ProcessEnd } from "./managed-process.ts";
import { type OutputLogStream, openOutputLog } from "./output-log.ts";
import type { ProcessSpawner, SpawnRequest } from "./process-spawner.ts";

/** What running a command needs of its host. */
export interface CommandPorts {
  readonly spawner: ProcessSpawner;
  readonly clock: Clock;
  /** Masks the log file; the result is left as printed. */
  readonly masker: SecretMasker;
  /** Most bytes that the log file keeps when the request says nothing else. */
  readonly logBytes: number;
}

/** Host.run. */
export async function runHostCommand(
  request: CommandRequest,
  signal: AbortSignal,
  { spawner, clock, masker, logBytes }: CommandPorts,
): Promise<CommandResult> {
  signal.throwIfAborted();
  const maxBytes = request.limits?.logBytes ?? logBytes;
  const log =
    request.logFile === undefined
      ? undefined
      : await openOutputLog(request.logFile, { masker, maxBytes });
  try {
    const stdout = createCapture("stdout", request, log?.stream());
    const stderr = createCapture("stderr", request, log?.stream());
    const startedMs = clock.monotonic();
    const process = await spawner.spawn(toSpawnRequest(request, stdout, stderr));
    if (request.stdin !== undefined) feed(process, request.stdin);
    const { end, timedOut } = await superviseUntilEnd(process, request.timeoutMs, {
      clock,
      signal,
    });
    stdout.finish();
    stderr.finish();
    signal.throwIfAborted();
    const [out, err] = [stdout.kept.read(), stderr.kept.read()];
    return {
      ...end,
      timedOut,
      stdout: out.text,
      stdoutTruncated: out.isTruncated,
      stderr: err.text,
      stderrTruncated: err.isTruncated,
      durationMs: Math.round(clock.monotonic() - startedMs),
    };
  } finally {
    log?.close();
  }
}

interface Capture {
  readonly kept: BoundedOutput;
  take(chunk: Buffer): void;
  finish(): void;
}

function createCapture(
  stream: "stdout" | "stderr",
  request: CommandRequest,
  log: OutputLogStream | undefined,
): Capture {
  const kept = createBoundedOutput(request.maxOutputChars ?? MAX_OUTPUT_CHARS);
  return {
    kept,
    take: (chunk) => {
      log?.write(chunk);
      kept.push(chunk);
      request.onOutput?.(stream, chunk);
    },
    finish: () => log?.end(),
  };
}

function toSpawnRequest(
  { command, cwd, env, stdin, confine, limits }: CommandRequest,
  stdout: Capture,
  stderr: Capture,
): SpawnRequest {
  return {
    argv: toArgv(command),
    cwd,
    env,
    stdin: stdin === undefined ? "closed" : "open",
    onStdout: stdout.take,
    onStderr: stderr.take,
    ...present({ confine, limits }),
  };
}

function toArgv(command: CommandRequest["command"]): SpawnRequest["argv"] {
  // The shell of the system, whatever PATH says: its own PATH then applies to what it runs.
  if (typeof command === "string") return ["/bin/sh", "-c", command];
  const [program = "", ...args] = command;
  return [program, ...args];
}

function feed(process: ManagedProcess, text: string): void {
  // `write` never rejects; a program may also end before it has read everything.
  void process.write(text).then(() => process.closeStdin());
}

async function superviseUntilEnd(
  process: ManagedProcess,
  timeoutMs: number | undefined,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<{ readonly end: ProcessEnd; readonly timedOut: boolean }> {
  let timedOut = false;
  const stop = () => {
    // Its error is that of `ended`.
    process.end().catch(() => {});
  };
  const expire = () => {
    timedOut = true;
    stop();
  };
  const timer = timeoutMs === undefined ? undefined : clock.startTimer(timeoutMs, expire);
  // It may have come while the program was being started.
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  try {
    await process.exited;
    timer?.cancel();
    return { end: await process.ended, timedOut };
  } finally {
    timer?.cancel();
    signal.removeEventListener("abort", stop);
  }
}
