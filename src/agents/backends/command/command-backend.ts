import { dirname } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { z } from "zod";
import type { AgentSpec } from "../../../contracts/agent.ts";
import type {
  AgentBackend,
  BackendProblem,
  SessionRequest,
  TurnRequest,
} from "../../../contracts/backend.ts";
import { outputCommand, recordFailure } from "../../../contracts/failure.ts";
import type { CommandRequest, CommandResult, Host } from "../../../contracts/host.ts";
import { type Clock, systemClock } from "../../../foundation/clock.ts";
import { TroupeError, toErrorReport } from "../../../foundation/errors.ts";
import { present } from "../../../foundation/present.ts";
import { findProgram } from "../../../host/system/find-program.ts";
import { commandFailed, programNotFound, settingsInvalid } from "../parts/errors.ts";
import { problemsOf } from "../parts/program-backend.ts";
import {
  MAX_ANSWER_CHARS,
  type TerminalUpdate,
  TurnGate,
  type TurnWork,
} from "../parts/turn-gate.ts";
import {
  createTaskFile,
  placesIn,
  type TaskFile,
  type TaskPlaces,
  toCommandLine,
  toTurnEnv,
} from "./command-line.ts";

type Command = string | readonly string[];

// Room for the newline that is taken off.
const MAX_OUTPUT_CHARS = MAX_ANSWER_CHARS + 2;
const ERROR_OUTPUT_CHARS = 2000;

const commandSchema = z.union([
  z.string().regex(/\S/),
  z.tuple([z.string().min(1)], z.string()).readonly(),
]);
const placesSchema = z.array(z.array(z.number()));
/** What stands before the arguments of a text for the shell. */
const SHELL_PARTS = 4;
const argsSchema = z.array(z.string());

/**
 * The backend that runs a program per turn: task on stdin, stdout is the answer. `open`
 * raises BACKEND_SETTINGS_INVALID; turns fail with BACKEND_COMMAND_FAILED, BACKEND_NOT_FOUND,
 * BACKEND_TASK_TOO_LARGE, HOST_SPAWN_FAILED.
 */
export function createCommandBackend({ host }: { readonly host: Host }): AgentBackend {
  return {
    name: "command",
    metering: "free",
    conventions: "none",
    demandsSignal: false,
    takesMessages: false,
    // The port costs every run with such an agent some 10 ms before it begins: troupe mcp is there for MCP.
    reach: "socket",
    livesInSandbox: true,
    check: (spec) => check(spec, host),
    open: async (request) => {
      const { spec, session } = request;
      const command = commandOf(spec);
      const gate = new TurnGate({ agent: spec.id, session });
      return {
        prompt: (turn) => gate.run(turn, (work) => runTurn(work, { command, request, host })),
        close: () => gate.close(),
      };
    },
  };
}

/** The command with `args` at its end. Raises BACKEND_SETTINGS_INVALID. */
function commandOf(spec: AgentSpec): z.infer<typeof commandSchema> {
  const { command, args = [] } = spec.settings ?? {};
  const program = commandSchema.safeParse(command);
  if (!program.success) {
    const problem = "expected `command`: a text for the shell, or a list of program and arguments";
    throw settingsInvalid({ agent: spec.id, problem });
  }
  const further = argsSchema.safeParse(args);
  if (!further.success)
    throw settingsInvalid({ agent: spec.id, problem: "expected `args`: a list of texts" });
  if (further.data.length === 0) return program.data;
  if (typeof program.data !== "string") return [...program.data, ...further.data];
  // The shell passes them on untouched: no argument is read as shell text.
  return ["/bin/sh", "-c", `${program.data} "$@"`, "sh", ...further.data];
}

/** Text for a shell has no such place, with or without `args`. */
function placesOf({ settings = {} }: AgentSpec, command: Command): TaskPlaces | undefined {
  if (typeof command === "string") return undefined;
  const given = placesSchema.safeParse(settings["taskPlaces"]).data;
  if (typeof settings["command"] !== "string") return given;
  const args = command.slice(SHELL_PARTS);
  return [...Array.from({ length: SHELL_PARTS }, () => []), ...(given ?? args.map(placesIn))];
}

async function check(spec: AgentSpec, host: Host): Promise<readonly BackendProblem[]> {
  return problemsOf(() => {
    const command = commandOf(spec);
    if (typeof command === "string") return;
    const [program] = command;
    const cwd = spec.cwd ?? process.cwd();
    if (findProgram(program, host.baseEnv(spec.env ?? {}), cwd) === undefined)
      throw programNotFound({ agent: spec.id, program });
  });
}

interface CommandSession {
  readonly command: Command;
  readonly request: SessionRequest;
  readonly host: Host;
}

async function runTurn(work: TurnWork, session: CommandSession): Promise<TerminalUpdate> {
  const { spec } = session.request;
  const command = toCommandLine(session.command, work.request, placesOf(spec, session.command));
  const file = await createTaskFile(work.request);
  const { access } = session.request;
  // Each turn has a process of its own, and its token dies with it (MCP-3).
  const token = access?.renew?.();
  try {
    const live = createLiveText(systemClock, (text) => work.emit({ type: "text-delta", text }));
    const request = toRequest(command, { work, session, file, token, live });
    const result = await session.host.run(request, work.signal);
    live.end();
    return toTerminal(result, session.request, work.request);
  } catch (error) {
    throw toTurnError(error, work.request.agent, command);
  } finally {
    access?.renew?.();
    await file.remove();
  }
}

interface RequestParts {
  readonly live: LiveText;
  readonly token: string | undefined;
  readonly work: TurnWork;
  readonly session: CommandSession;
  readonly file: TaskFile;
}

function toRequest(
  command: Command,
  { work, session, file, token, live }: RequestParts,
): CommandRequest {
  const { cwd, env, logFile, confine, limits } = session.request;
  const request: CommandRequest = {
    command,
    cwd,
    env: {
      ...env,
      ...(token === undefined ? {} : { TROUPE_CONTEXT_TOKEN: token }),
      ...toTurnEnv(work.request, file),
    },
    stdin: work.request.task,
    maxOutputChars: MAX_OUTPUT_CHARS,
    onOutput: (stream, chunk) => {
      if (stream === "stdout") live.push(chunk);
    },
  };
  return {
    ...request,
    ...present({ logFile, limits }),
    ...(confine === undefined
      ? {}
      : { confine: { ...confine, readOnly: [...confine.readOnly, dirname(file.path)] } }),
  };
}

function toTerminal(
  result: CommandResult,
  { run, spec: { id: agent } }: SessionRequest,
  { step }: TurnRequest,
): TerminalUpdate {
  if (result.exitCode === 0)
    return { type: "stop", reason: "end_turn", text: result.stdout.replace(/\r?\n$/, "") };
  const stderr = result.stderr.slice(-ERROR_OUTPUT_CHARS).toWellFormed();
  const stdout = result.stdout.slice(-ERROR_OUTPUT_CHARS).toWellFormed();
  const error = commandFailed({
    run,
    agent,
    ...(result.exitCode === null ? {} : { exitCode: result.exitCode }),
    ...(result.signal === null ? {} : { signal: result.signal }),
    stderr,
    ...(stderr.trim() === "" ? { output: stdout } : {}),
    failure: recordFailure(result, {
      all:
        step === undefined ? `troupe logs ${run} --raw --agent ${agent}` : outputCommand(run, step),
    }),
  });
  return { type: "error", error: toErrorReport(error), text: result.stdout };
}

function toTurnError(error: unknown, agent: string, command: Command): unknown {
  const isMissing = error instanceof TroupeError && error.code === "HOST_COMMAND_NOT_FOUND";
  if (!isMissing) return error;
  const program = typeof command === "string" ? "sh" : (command[0] ?? "");
  return programNotFound({ agent, program }, { cause: error });
}

/** Shows what a program prints while it prints it. */
interface LiveText {
  push(chunk: Uint8Array): void;
  /** Shows what was held back, and says what was left out last. */
  end(): void;
}

const PERIOD_MS = 1000;
const BYTES_PER_PERIOD = 256 * 1024;

/**
 * Hands on at most 256 KiB of text a second: nobody reads faster, and every text would cost memory. Where some was left
 * out it says so. The answer and the log have it.
 */
export function createLiveText(
  clock: Pick<Clock, "monotonic">,
  show: (text: string) => void,
): LiveText {
  let decoder = new StringDecoder("utf8");
  let periodStartMs = clock.monotonic();
  let shownBytes = 0;
  let leftOutBytes = 0;
  const tell = (text: string) => {
    if (text !== "") show(text);
  };
  const tellLeftOut = () => {
    if (leftOutBytes === 0) return;
    tell(`${decoder.end()}\n[troupe: ${leftOutBytes} bytes are not shown here]\n`);
    decoder = new StringDecoder("utf8");
    leftOutBytes = 0;
  };
  return {
    push: (chunk) => {
      const nowMs = clock.monotonic();
      if (nowMs - periodStartMs >= PERIOD_MS) {
        periodStartMs = nowMs;
        shownBytes = 0;
      }
      const room = BYTES_PER_PERIOD - shownBytes;
      if (room > 0) {
        tellLeftOut();
        tell(decoder.write(chunk.subarray(0, room)));
      }
      const shown = Math.max(0, Math.min(room, chunk.length));
      shownBytes += shown;
      leftOutBytes += chunk.length - shown;
    },
    end: () => {
      tellLeftOut();
      tell(decoder.end());
    },
  };
}
