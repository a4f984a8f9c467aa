import type { SessionRequest } from "../../../contracts/backend.ts";
import { rejectOnAbort } from "../../../foundation/abort.ts";
import { startAwakeTimer } from "../../../foundation/awake-timer.ts";
import type { Clock, Timer } from "../../../foundation/clock.ts";
import type { ProcessHost } from "../../../host/host.ts";
import type { ProcessEnd } from "../../../host/managed-process.ts";
import { textSetting } from "../parts/agent-program.ts";
import { agentExited, protocolBroken, sessionUnknown } from "../parts/errors.ts";
import { type LineProcess, startLineProcess } from "../parts/line-process.ts";
import { initializeRequest, isSpareLine, readControl } from "./claude-protocol.ts";
import { type ClaudeMeter, createClaudeMeter } from "./claude-usage.ts";

/** Which session of the program is meant, and whether it has one of that id already. */
export interface ClaudeSessionName {
  readonly id: string;
  readonly isResumed: boolean;
}

/** What a program is started from. */
export interface ClaudeProgramOptions {
  readonly request: SessionRequest;
  readonly host: ProcessHost;
  readonly clock: Clock;
  /** All but what names the session. */
  readonly argv: readonly [string, ...string[]];
  readonly env: { readonly [name: string]: string };
}

/** A running Claude Code that waits for prompts. */
export interface ClaudeProgram extends Pick<LineProcess, "send" | "end"> {
  readonly meter: ClaudeMeter;
  /** Whether it has exited; what it started may still live until `end`. */
  readonly hasExited: boolean;
  /** When it is gone, with the error of a turn that this cut off. Rejects with HOST_* errors. */
  readonly gone: Promise<Error>;
  /** Who gets its lines from now on; until then, and after `undefined`, they are dropped. */
  listen(onLine: ((line: string) => void) | undefined): void;
}

const START_TIMEOUT_MS = 60_000;
const MAX_STDERR_CHARS = 2000;
const INITIALIZE = "initialize";
// The only sign there is; it exits with 1, as it does for everything.
const UNKNOWN_SESSION = /No conversation found with session ID/;

/**
 * Starts Claude Code on a session; resolves once it listens. Raises BACKEND_SESSION_UNKNOWN, BACKEND_EXITED,
 * BACKEND_PROTOCOL, HOST_* errors, or the signal's reason; then nothing of it lives.
 */
export async function startClaudeProgram(
  options: ClaudeProgramOptions,
  { id, isResumed }: ClaudeSessionName,
  signal: AbortSignal,
): Promise<ClaudeProgram> {
  const { request, host, argv, env } = options;
  let listener: ((line: string) => void) | undefined;
  const line = await startLineProcess({
    host,
    session: request,
    argv: [...argv, `${isResumed ? "--resume" : "--session-id"}=${id}`],
    env,
    onLine: (text) => listener?.(text),
    onLeftOut: isSpareLine,
  });
  const names = { agent: request.spec.id, resume: id };
  let hasExited = false;
  // It never rejects.
  void line.exited.then(() => {
    hasExited = true;
  });
  const gone = line.ended.then((end) => toExitError(names, end, line.stderr));
  // Whoever starts it or runs a turn on it sees the error.
  gone.catch(() => {});
  const program: ClaudeProgram = {
    send: line.send,
    end: line.end,
    meter: createClaudeMeter({ isResumed }),
    get hasExited() {
      return hasExited;
    },
    gone,
    listen: (onLine) => {
      listener = onLine;
    },
  };
  try {
    await greet(program, options, signal);
    return program;
  } catch (error) {
    await line.end();
    throw error;
  }
}

/** Says who is there, and waits for the answer: from then on it takes prompts. */
async function greet(
  program: ClaudeProgram,
  { request, clock }: ClaudeProgramOptions,
  signal: AbortSignal,
): Promise<void> {
  const { spec } = request;
  const aborted = rejectOnAbort(signal);
  let timer: Timer | undefined;
  const answered = new Promise<void>((resolve, reject) => {
    program.listen((line) => {
      const control = readControl(line);
      if (control?.type === "answer" && control.id === INITIALIZE) resolve();
    });
    const problem = `it did not answer within ${START_TIMEOUT_MS / 1000} s`;
    timer = startAwakeTimer(clock, START_TIMEOUT_MS, () =>
      reject(protocolBroken({ agent: spec.id, problem })),
    );
  });
  const failed = program.gone.then((error) => {
    throw error;
  });
  const sent = program.send(initializeRequest(INITIALIZE, textSetting(spec, "systemPrompt")));
  try {
    await Promise.race([Promise.all([sent, answered]), failed, aborted.promise]);
  } finally {
    timer?.cancel();
    aborted.stop();
    program.listen(undefined);
  }
}

function toExitError(
  names: { readonly agent: string; readonly resume: string },
  { exitCode, signal }: ProcessEnd,
  stderr: string,
): Error {
  if (UNKNOWN_SESSION.test(stderr)) return sessionUnknown(names);
  return agentExited({
    agent: names.agent,
    ...(exitCode === null ? {} : { exitCode }),
    ...(signal === null ? {} : { signal }),
    stderr: stderr.slice(-MAX_STDERR_CHARS).toWellFormed(),
  });
}
