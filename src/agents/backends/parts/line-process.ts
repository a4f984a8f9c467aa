import { basename } from "node:path";
import { StringDecoder } from "node:string_decoder";
import type { SessionRequest } from "../../../contracts/backend.ts";
import { createBoundedText } from "../../../foundation/bounded-text.ts";
import { createLineSplitter } from "../../../foundation/line-splitter.ts";
import { present } from "../../../foundation/present.ts";
import type { ProcessHost } from "../../../host/host.ts";
import type { ProcessEnd } from "../../../host/managed-process.ts";
import { lineTooLarge } from "./errors.ts";

/** A program to talk with in lines. */
export interface LineProcessOptions {
  readonly host: ProcessHost;
  /** Its log file and bounds. */
  readonly session: Pick<SessionRequest, "cwd" | "logFile" | "confine" | "limits">;
  readonly argv: readonly [string, ...string[]];
  /** The whole environment. */
  readonly env: { readonly [name: string]: string };
  /**
   * Takes every whole line of stdout without its end. Lines of more than 8 Mi characters or 200,000 JSON values are left
   * out, which the log and the end of stderr say.
   */
  readonly onLine: (line: string) => void;
  /**
   * Takes the beginning of a line that is left out, at most 8 Mi characters, while the rest may still be coming. Returns
   * true if the conversation can continue without it; otherwise the program is ended, and `ended` rejects with
   * BACKEND_LINE_TOO_LARGE.
   */
  readonly onLeftOut: (start: string) => boolean;
}

/** A running program that reads and writes lines. */
export interface LineProcess {
  readonly pid: number;
  /** Sends one line; resolves once the pipe took it. A program that does not read is no error. */
  send(line: string): Promise<void>;
  closeStdin(): void;
  /** The end of what it wrote to stderr, at most 8 Ki characters. */
  readonly stderr: string;
  /** When the program itself has exited. */
  readonly exited: Promise<ProcessEnd>;
  /**
   * When nothing of its family lives and every line was handed out. Rejects with HOST_* errors, with
   * LIMIT_AGENT_RESOURCES when it was ended because it took too much, and with BACKEND_LINE_TOO_LARGE.
   */
  readonly ended: Promise<ProcessEnd>;
  /** Ends the whole family. Resolves and rejects like `ended`, but resolves whatever it took. */
  end(): Promise<ProcessEnd>;
}

const MAX_LINE_CHARS = 8 * 1024 * 1024;
/** Lines are JSON; of those that are long, what is read of them may take many times as much. */
const LONG_CHARS = 256 * 1024;
const MAX_VALUES = 200_000;
const LEFT_OUT = "\n[a line of more than 8 Mi characters or 200,000 JSON values was not read]\n";
const STDERR_CHARS = 8192;

/**
 * Starts a program that stays, with everything it prints in the agent's log. Raises HOST_COMMAND_NOT_FOUND,
 * HOST_SPAWN_FAILED, HOST_LOG_FAILED, HOST_SANDBOX_UNAVAILABLE.
 */
export async function startLineProcess(options: LineProcessOptions): Promise<LineProcess> {
  const { host, session, argv, env, onLine, onLeftOut } = options;
  const { cwd, logFile, confine, limits } = session;
  const giveBack = await host.takePlace();
  let log: Awaited<ReturnType<ProcessHost["openLog"]>> | undefined;
  try {
    log = logFile === undefined ? undefined : await host.openLog(logFile, limits?.logBytes);
  } catch (error) {
    giveBack();
    throw error;
  }
  const [outLog, errLog] = [log?.stream(), log?.stream()];
  const stderr = createBoundedText(STDERR_CHARS);
  const decoder = new StringDecoder("utf8");
  // Undefined until the program has started, which may be after its first lines.
  let endProgram: (() => void) | undefined;
  let isBroken = false;
  const leaveOut = (line: string) => {
    stderr.append(LEFT_OUT);
    errLog?.write(Buffer.from(LEFT_OUT));
    if (isBroken || onLeftOut(line)) return;
    isBroken = true;
    endProgram?.();
  };
  const lines = createLineSplitter(MAX_LINE_CHARS, (line, isPartial) => {
    if (isPartial) lines.skipLine();
    if (isPartial || (line.length > LONG_CHARS && hasMoreValues(line, MAX_VALUES))) leaveOut(line);
    else if (!isBroken) onLine(line);
  });
  const close = () => {
    lines.end();
    stderr.append(decoder.end());
    outLog?.end();
    errLog?.end();
    log?.close();
    giveBack();
  };
  try {
    const process = await host.spawn({
      argv,
      cwd,
      env,
      stdin: "open",
      ...present({ confine, limits }),
      onStdout: (chunk) => {
        outLog?.write(chunk);
        lines.push(chunk);
      },
      onStderr: (chunk) => {
        errLog?.write(chunk);
        stderr.append(decoder.write(chunk));
      },
    });
    const ended = process.ended.finally(close).then((end) => {
      if (isBroken) throw lineTooLarge({ program: basename(argv[0]) });
      return end;
    });
    // Its error, if there is one, is that of `ended`.
    endProgram = () => void process.end().catch(() => {});
    if (isBroken) endProgram();
    // Whoever holds the process sees its error.
    ended.catch(() => {});
    return {
      pid: process.pid,
      send: (line) => process.write(`${line}\n`),
      closeStdin: () => process.closeStdin(),
      get stderr() {
        return stderr.text;
      },
      exited: process.exited,
      ended,
      end: async () => {
        const end = await process.end();
        await ended.catch(() => {});
        return end;
      },
    };
  } catch (error) {
    log?.close();
    giveBack();
    throw error;
  }
}

/**
 * Whether a JSON text holds more than so many values, counted without reading them: a short text of small values takes
 * many times its size. A text that is no JSON gets some answer.
 */
export function hasMoreValues(json: string, most: number): boolean {
  let values = 1;
  for (let at = 0; at < json.length && values <= most; at += 1) {
    const char = json[at];
    if (char === '"') at = endOfText(json, at);
    // Every value but the outermost follows one of these.
    else if (char === "," || char === "[" || char === ":") values += 1;
  }
  return values > most;
}

/** Where the text that begins at a quotation mark ends. */
function endOfText(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let slashes = 0;
    while (json[at - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return json.length;
}
