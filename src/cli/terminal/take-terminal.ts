import type { TakenTerminal, TerminalTaking } from "./io.ts";

type WriteCallback = (error?: Error | null) => void;

/**
 * Puts one writer between this process and its terminal: what others write to standard output or standard
 * error goes to `onForeign`, so that nothing appears in the middle of a picture. Streams that are no
 * terminal stay as they are.
 */
export function takeTerminal({ onForeign, farewell }: TerminalTaking): TakenTerminal {
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
