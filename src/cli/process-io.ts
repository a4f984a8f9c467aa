import { createInterface } from "node:readline";
import { inputTooLarge } from "../app/errors.ts";
import type { Input, Io, Output, StopSignal } from "./io.ts";

const STOP_SIGNALS: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** The surroundings of this process. */
export function createProcessIo(): Io {
  return {
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
  };
}

/** Resolves when all that was written has left this process or has nowhere to go. */
export async function flushOutput(): Promise<void> {
  await Promise.all([process.stdout, process.stderr].map(flush));
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writable) resolve();
    else stream.write("", () => resolve());
  });
}

function toOutput(stream: NodeJS.WriteStream): Output {
  const listeners = new Set<() => void>();
  let isClosed = false;
  // EPIPE and the like: whoever read us has gone, and that is no reason to crash.
  stream.on("error", () => {
    if (isClosed) return;
    isClosed = true;
    for (const listener of [...listeners]) listener();
  });
  return {
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.columns;
    },
    write: (text) => {
      if (!isClosed) stream.write(text);
    },
    onClosed: (listener) => {
      if (isClosed) listener();
      else listeners.add(listener);
      return () => void listeners.delete(listener);
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
  };
}
