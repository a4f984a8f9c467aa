import type { Caller } from "../../app/machine/agent-above.ts";

/** Where a command writes: standard output or standard error. */
export interface Output {
  /** Whether a person sees it directly. */
  readonly isTerminal: boolean;
  /** Columns of the terminal; undefined without one. */
  readonly columns: number | undefined;
  /** Lines of the terminal; undefined without one. */
  readonly rows: number | undefined;
  /** Writes a text as it is. After the other end has closed, it goes nowhere. */
  write(text: string): void;
  /** Calls back once when nothing can be written any more. Returns what ends the listening. */
  onClosed(listener: () => void): () => void;
  /**
   * Resolves when all that was written has left this process or has nowhere to go: with why some of it could not be
   * written, unless it is only that nobody reads any more.
   */
  flush(): Promise<string | undefined>;
  /** Calls back whenever the terminal has got another size. Returns what ends the listening. */
  onResize(listener: () => void): () => void;
}

/** Where a command reads what a person types or pipes in. */
export interface Input {
  readonly isTerminal: boolean;
  /** All bytes up to the end. Raises FILE_INPUT_TOO_LARGE beyond `maxBytes`. */
  readAll(maxBytes: number): Promise<Uint8Array>;
  /** Hands out the bytes as they come; `onEnd` when there are no more. Returns what ends the reading. */
  readBytes(onBytes: (bytes: Uint8Array) => void, onEnd: () => void): () => void;
  /** Hands out line by line; `onEnd` when there are no more. Returns what ends the reading. */
  readLines(onLine: (line: string) => void, onEnd: () => void): () => void;
  /**
   * Hands out what is typed as it is typed, unechoed, with Ctrl-C and Ctrl-Z as characters: the raw mode of
   * a terminal. Returns what ends the reading and gives the terminal its own mode back.
   */
  readKeys(onText: (text: string) => void, onEnd: () => void): () => void;
}

/** How somebody takes the terminal over. */
export interface TerminalTaking {
  /** Gets what anybody else in this process writes to the terminal. */
  readonly onForeign: (text: string) => void;
  /** What sets the terminal right again; written when it is given back and when the process ends before. */
  readonly farewell: () => string;
}

/** The terminal in the hands of one writer. */
export interface TakenTerminal {
  write(text: string): void;
  /** Writes the farewell and gives the terminal back. Idempotent. */
  release(): void;
}

/** The signals that ask a process to end. */
export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Where a program runs, and its whole environment. */
export interface ProgramPlace {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
}

/** All that a command knows of its surroundings; tests put their own in its place. */
export interface Io {
  /** Who calls, as the system tells it: what this process stands below, or undefined for a person. */
  agentAbove(): Promise<Caller>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  /** Tells of signals instead of letting them end the process. Returns what ends that. */
  onSignal(listener: (signal: StopSignal) => void): () => void;
  /** Ends the process at once, without letting anything end by itself. */
  exitNow(exitCode: number): void;
  /**
   * Runs a program that has the terminal to itself, without a shell, where this process is unless another place
   * is given; resolves with its exit code, null when a signal ended it. Rejects when it cannot be started.
   */
  runProgram(argv: readonly string[], place?: ProgramPlace): Promise<number | null>;
  /** Makes one writer the only one to write to the terminal that standard output is. */
  takeTerminal(taking: TerminalTaking): TakenTerminal;
  /** Sends a signal to this process, as the terminal does for Ctrl-C when it is not in raw mode. */
  raise(signal: StopSignal): void;
  /** Stops this job as Ctrl-Z does; resolves when it goes on, or at once where no shell controls jobs. */
  stopJob(): Promise<void>;
  /** Calls back when this process goes on after it was stopped. Returns what ends the listening. */
  onContinued(listener: () => void): () => void;
}
