import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { inputTooLarge } from "../app/machine/place/errors.ts";
import type {
  Input,
  Io,
  Output,
  ProgramPlace,
  StopSignal,
  TakenTerminal,
  TerminalTaking,
} from "./terminal/io.ts";

const STOP_SIGNALS: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

// A stopped process runs no timers, so this one fires when the job goes on; it also does where nothing
// could stop the job, which is so without a shell that controls jobs.
const GOES_ON_AFTER_MS = 100;

/** The surroundings of this process. */
export function createProcessIo(): Io {
  return {
    // Most commands read, and need not know.
    agentAbove: async () => (await import("../app/machine/agent-above.ts")).lookAbove(),
    stdout: toOutput(process.stdout),
    stderr: toOutput(process.stderr),
    stdin: toInput(process.stdin),
    env: process.env,
    cwd: process.cwd(),
    onSignal: (listener) => {
      for (const signal of STOP_SIGNALS) process.on(signal, listener);
      return () => {
        for (const signal of STOP_SIGNALS) process.off(signal, listener);
      };
    },
    exitNow: (exitCode) => process.exit(exitCode),
    runProgram,
    takeTerminal,
    raise: (signal) => void process.kill(process.pid, signal),
    stopJob: () => {
      // The whole group, as a terminal does it: a launcher between us and the shell stops as well.
      process.kill(0, "SIGTSTP");
      return new Promise((resolve) => setTimeout(resolve, GOES_ON_AFTER_MS));
    },
    onContinued: (listener) => {
      process.on("SIGCONT", listener);
      return () => void process.off("SIGCONT", listener);
    },
  };
}

function runProgram(
  [program = "", ...args]: readonly string[],
  place?: ProgramPlace,
): Promise<number | null> {
  // Ctrl-C belongs to the program that has the terminal.
  const ignore = () => {};
  process.on("SIGINT", ignore);
  return new Promise<number | null>((resolve, reject) => {
    const child = spawn(program, args, { stdio: "inherit", ...place });
    child.once("error", reject);
    child.once("exit", resolve);
  }).finally(() => process.off("SIGINT", ignore));
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writable) resolve();
    else stream.write("", () => resolve());
  });
}

// Whoever read us has gone, or the terminal has: no reason to crash, and nobody is left to tell.
const READER_GONE = new Set(["EPIPE", "ECONNRESET"]);

function toOutput(stream: NodeJS.WriteStream): Output {
  const listeners = new Set<() => void>();
  let isClosed = false;
  let problem: string | undefined;
  stream.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    if (isClosed) return;
    isClosed = true;
    if (!stream.isTTY && !READER_GONE.has(code ?? "")) problem = code ?? message;
    for (const listener of [...listeners]) listener();
  });
  return {
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.columns;
    },
    get rows() {
      return stream.rows;
    },
    write: (text) => {
      if (!isClosed) stream.write(text);
    },
    onClosed: (listener) => {
      if (isClosed) listener();
      else listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    flush: async () => {
      await flush(stream);
      // What went wrong with the last write is told in a later turn.
      await new Promise(setImmediate);
      return problem;
    },
    onResize: (listener) => {
      stream.on("resize", listener);
      return () => void stream.off("resize", listener);
    },
  };
}

function toInput(stream: NodeJS.ReadStream): Input {
  return {
    isTerminal: stream.isTTY === true,
    readAll: async (maxBytes) => {
      const chunks: Buffer[] = [];
      let sizeBytes = 0;
      for await (const chunk of stream) {
        const bytes = Buffer.from(chunk);
        sizeBytes += bytes.length;
        if (sizeBytes > maxBytes)
          throw inputTooLarge({ file: "standard input", limitBytes: maxBytes });
        chunks.push(bytes);
      }
      return Buffer.concat(chunks);
    },
    readBytes: (onBytes, onEnd) => {
      stream.on("data", onBytes);
      stream.on("end", onEnd);
      return () => {
        stream.off("data", onBytes);
        stream.off("end", onEnd);
        stream.pause();
      };
    },
    readLines: (onLine, onEnd) => {
      // Without raw mode: Ctrl-C stays a signal, and the terminal edits the line.
      const lines = createInterface({ input: stream, terminal: false });
      lines.on("line", onLine);
      lines.on("close", onEnd);
      return () => {
        lines.off("close", onEnd);
        lines.close();
        stream.pause();
      };
    },
    readKeys: (onText, onEnd) => {
      // As text, so that a character that comes in two pieces is whole.
      stream.setEncoding("utf8");
      stream.setRawMode(true);
      stream.on("data", onText);
      stream.on("end", onEnd);
      // A terminal that was closed reports it here, also when its mode is given back.
      stream.on("error", onEnd);
      stream.resume();
      return () => {
        stream.off("data", onText);
        stream.off("end", onEnd);
        stream.pause();
        stream.setRawMode(false);
        stream.off("error", onEnd);
      };
    },
  };
}

type WriteCallback = (error?: Error | null) => void;

/**
 * Puts one writer between this process and its terminal: what others write to standard output or standard
 * error goes to `onForeign`, so that nothing appears in the middle of a picture. Streams that are no
 * terminal stay as they are.
 */
function takeTerminal({ onForeign, farewell }: TerminalTaking): TakenTerminal {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  const giveBack = [stdout, stderr]
    .filter((stream) => stream.isTTY)
    .map((stream) => divert(stream, onForeign));
  let isReleased = false;
  const release = () => {
    if (isReleased) return;
    isReleased = true;
    process.off("exit", release);
    for (const restore of giveBack) restore();
    write(farewell());
  };
  // Writing to a terminal is synchronous, so that even a process that is ending leaves it in order.
  process.on("exit", release);
  return { write: (text) => void write(text), release };
}

function divert(stream: NodeJS.WriteStream, onForeign: (text: string) => void): () => void {
  const original = stream.write;
  const decoder = new TextDecoder();
  function diverted(
    chunk: Uint8Array | string,
    encoding?: BufferEncoding | WriteCallback,
    callback?: WriteCallback,
  ): boolean {
    onForeign(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }));
    const done = typeof encoding === "function" ? encoding : callback;
    if (done !== undefined) process.nextTick(done);
    return true;
  }
  stream.write = diverted;
  return () => {
    stream.write = original;
  };
}
