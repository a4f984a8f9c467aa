/** Where a command writes: standard output or standard error. */
export interface Output {
  /** Whether a person sees it directly. */
  readonly isTerminal: boolean;
  /** Columns of the terminal; undefined without one. */
  readonly columns: number | undefined;
  /** Writes a text as it is. After the other end has closed, it goes nowhere. */
  write(text: string): void;
  /** Calls back once when nobody reads any more. Returns what ends the listening. */
  onClosed(listener: () => void): () => void;
}

/** Where a command reads what a person types or pipes in. */
export interface Input {
  readonly isTerminal: boolean;
  /** All bytes up to the end. Raises FILE_INPUT_TOO_LARGE beyond `maxBytes`. */
  readAll(maxBytes: number): Promise<Uint8Array>;
  /** Hands out line by line; `onEnd` when there are no more. Returns what ends the reading. */
  readLines(onLine: (line: string) => void, onEnd: () => void): () => void;
}

/** The signals that ask a process to end. */
export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** All that a command knows of its surroundings; tests put their own in its place. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  /** Tells of signals instead of letting them end the process. Returns what ends that. */
  onSignal(listener: (signal: StopSignal) => void): () => void;
  /** Ends the process at once, without letting anything end by itself. */
  exitNow(exitCode: number): void;
}
