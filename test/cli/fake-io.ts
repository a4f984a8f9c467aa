import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import type { Io, ProgramPlace, StopSignal, TerminalTaking } from "../../src/cli/terminal/io.ts";

/** Surroundings of a command that a test sees and moves. */
export interface FakeIo extends Io {
  readonly out: () => string;
  readonly err: () => string;
  /** A person types a line. */
  readonly type: (line: string) => void;
  /** A person presses keys; what reaches the program of one press is one text. */
  readonly press: (...texts: readonly string[]) => void;
  /** Whether what is typed comes key by key. */
  readonly isRaw: () => boolean;
  readonly resize: (columns: number, rows: number) => void;
  /** The job goes on after somebody else stopped it. */
  readonly goOn: () => void;
  /** How often the job was stopped by the program itself. */
  readonly jobStops: () => number;
  readonly signal: (signal: StopSignal) => void;
  /** Whoever reads standard output goes away. */
  readonly closeStdout: () => void;
  /** Standard input has no more bytes than it had at first. */
  readonly endInput: () => void;
  readonly exits: readonly number[];
  /** Resolves as soon as standard output holds the text. */
  readonly seen: (text: string) => Promise<void>;
}

export interface FakeIoOptions {
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
  /** What the command stands below; a person's own process if not given, wherever the tests run. */
  readonly above?: { readonly family: string; readonly run: string | undefined };
  readonly isTerminal?: boolean;
  /** Whether standard input is one; as standard output if not given. */
  readonly isInputTerminal?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  /** What standard input holds. */
  readonly input?: string;
  /** What a program does that has the terminal to itself; its exit code. */
  readonly program?: (
    argv: readonly string[],
    place?: ProgramPlace,
  ) => number | null | Promise<number | null>;
}

// What the person who runs the tests has configured must not change them.
const NO_CONFIGURATION = { XDG_CONFIG_HOME: "/nowhere" };

/** Surroundings without a terminal, unless the options say otherwise. */
export function createFakeIo(options: FakeIoOptions = {}): FakeIo {
  const { cwd = process.cwd(), env = {}, isTerminal = false, input = "" } = options;
  const { isInputTerminal = isTerminal, program = () => 0 } = options;
  const size = { columns: options.columns, rows: options.rows };
  const texts = { out: "", err: "" };
  const signals = new Set<(signal: StopSignal) => void>();
  const closed = new Set<() => void>();
  const readers = new Set<(line: string) => void>();
  const ended = new Set<() => void>();
  const waiting = new Set<() => void>();
  const resized = new Set<() => void>();
  const continued = new Set<() => void>();
  const keyReaders = new Set<(text: string) => void>();
  const exits: number[] = [];
  let jobStops = 0;
  let taking: TerminalTaking | undefined;
  const append = (name: "out" | "err", text: string) => {
    texts[name] += text;
    for (const look of [...waiting]) look();
  };
  const output = (name: "out" | "err") => ({
    isTerminal,
    get columns() {
      return size.columns;
    },
    get rows() {
      return size.rows;
    },
    write: (text: string) => {
      if (taking === undefined || !isTerminal) append(name, text);
      else taking.onForeign(text);
    },
    onClosed: (listener: () => void) => listenIn(closed, listener),
    flush: async () => undefined,
    onResize: (listener: () => void) => listenIn(resized, listener),
  });
  return {
    agentAbove: async () =>
      options.above === undefined ? undefined : { agent: undefined, ...options.above },
    stdout: output("out"),
    stderr: output("err"),
    stdin: {
      isTerminal: isInputTerminal,
      readAll: async () => new TextEncoder().encode(input),
      readBytes: (onBytes, onEnd) => {
        onBytes(new TextEncoder().encode(input));
        ended.add(onEnd);
        return () => void ended.delete(onEnd);
      },
      readLines: (onLine) => listenIn(readers, onLine),
      readKeys: (onText) => listenIn(keyReaders, onText),
    },
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...NO_CONFIGURATION, ...env },
    cwd,
    onSignal: (listener) => listenIn(signals, listener),
    exitNow: (exitCode) => exits.push(exitCode),
    runProgram: async (argv, place) => program(argv, place),
    takeTerminal: (given) => {
      taking = given;
      return {
        write: (text) => append("out", text),
        release: () => {
          if (taking !== given) return;
          taking = undefined;
          append("out", given.farewell());
        },
      };
    },
    raise: (signal) => {
      for (const listener of [...signals]) listener(signal);
    },
    stopJob: async () => {
      jobStops += 1;
    },
    onContinued: (listener) => listenIn(continued, listener),
    out: () => texts.out,
    err: () => texts.err,
    type: (line) => {
      for (const read of [...readers]) read(line);
    },
    press: (...pressed) => {
      for (const text of pressed) for (const read of [...keyReaders]) read(text);
    },
    isRaw: () => keyReaders.size > 0,
    resize: (columns, rows) => {
      size.columns = columns;
      size.rows = rows;
      for (const listener of [...resized]) listener();
    },
    goOn: () => {
      for (const listener of [...continued]) listener();
    },
    jobStops: () => jobStops,
    signal: (signal) => {
      for (const listener of [...signals]) listener(signal);
    },
    closeStdout: () => {
      for (const listener of [...closed]) listener();
    },
    endInput: () => {
      for (const end of [...ended]) end();
    },
    exits,
    seen: (text) =>
      new Promise((resolve) => {
        const look = () => {
          if (!texts.out.includes(text)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

function listenIn<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** An empty project with the files given; it goes with the test. */
export function createProject(files: { readonly [path: string]: string } = {}): string {
  const root = makeProject(files);
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** An empty project with the files given; its caller removes it. */
export function makeProject(files: { readonly [path: string]: string } = {}): string {
  const root = mkdtempSync(join(tmpdir(), "troupe-cli-"));
  mkdirSync(join(root, ".troupe"));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  return root;
}

/** What a command came to. */
export interface Called {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

/** Runs one command line in a project, without a terminal. */
export async function call(
  cwd: string,
  args: readonly string[],
  options: Omit<FakeIoOptions, "cwd"> = {},
): Promise<Called> {
  const io = createFakeIo({ ...options, cwd });
  const exitCode = await runCli(args, io);
  return { exitCode, out: io.out(), err: io.err() };
}

/** A text without what differs from run to run: ids, times, durations, the directory. */
export function stable(text: string, project = "/nowhere"): string {
  return text
    .replaceAll(project, "PROJECT")
    .replaceAll(/\b(run|prm|qst|apr)_[0-9a-z]{6}\b/g, "$1_ID")
    .replaceAll(/\d\d\d\d-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/^\d\d:\d\d:\d\d/gm, "00:00:00")
    .replaceAll(/"durationMs":\d+(\.\d+)?/g, '"durationMs":0')
    .replaceAll(/ +\d+(\.\d+)?(ms|s)\b/g, " 0ms");
}
