import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Io, StopSignal } from "../../src/cli/io.ts";
import { runCli } from "../../src/cli/run-cli.ts";

/** Surroundings of a command that a test sees and moves. */
export interface FakeIo extends Io {
  readonly out: () => string;
  readonly err: () => string;
  /** A person types a line. */
  readonly type: (line: string) => void;
  readonly signal: (signal: StopSignal) => void;
  /** Whoever reads standard output goes away. */
  readonly closeStdout: () => void;
  readonly exits: readonly number[];
  /** Resolves as soon as standard output holds the text. */
  readonly seen: (text: string) => Promise<void>;
}

export interface FakeIoOptions {
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
  readonly isTerminal?: boolean;
  readonly columns?: number;
  /** What standard input holds. */
  readonly input?: string;
}

/** Surroundings without a terminal, unless the options say otherwise. */
export function createFakeIo(options: FakeIoOptions = {}): FakeIo {
  const { cwd = process.cwd(), env = {}, isTerminal = false, columns, input = "" } = options;
  const texts = { out: "", err: "" };
  const signals = new Set<(signal: StopSignal) => void>();
  const closed = new Set<() => void>();
  const readers = new Set<(line: string) => void>();
  const waiting = new Set<() => void>();
  const exits: number[] = [];
  const output = (name: "out" | "err") => ({
    isTerminal,
    columns,
    write: (text: string) => {
      texts[name] += text;
      for (const look of [...waiting]) look();
    },
    onClosed: (listener: () => void) => listenIn(closed, listener),
  });
  return {
    stdout: output("out"),
    stderr: output("err"),
    stdin: {
      isTerminal,
      readAll: async () => new TextEncoder().encode(input),
      readLines: (onLine) => listenIn(readers, onLine),
    },
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
    cwd,
    onSignal: (listener) => listenIn(signals, listener),
    exitNow: (exitCode) => exits.push(exitCode),
    out: () => texts.out,
    err: () => texts.err,
    type: (line) => {
      for (const read of [...readers]) read(line);
    },
    signal: (signal) => {
      for (const listener of [...signals]) listener(signal);
    },
    closeStdout: () => {
      for (const listener of [...closed]) listener();
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
  const root = mkdtempSync(join(tmpdir(), "troupe-cli-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
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
