import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { isRecord } from "../../src/foundation/json.ts";
import { crashProgram } from "./crash-program.ts";
import type { CrashOrder } from "./fixture-run.ts";
import type { Sandbox } from "./sandbox.ts";

/** A process that carries a run out. */
export interface ChildRun {
  readonly pid: number;
  /** Resolves when the process owns the run and has shown so. Never, if it dies before. */
  readonly owns: Promise<void>;
  /** Resolves when the process has shown so many events of the run that it owns. Never, if it dies before. */
  hasShown(events: number): Promise<void>;
  /** Resolves when the process is gone, however that came about. */
  readonly gone: Promise<ChildEnd>;
  /** What it has printed so far. */
  printed(): Printed;
  kill(signal: NodeJS.Signals): void;
}

/** How a process ended, with all that it printed. */
export interface ChildEnd extends Printed {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The lines of a process. */
export interface Printed {
  readonly run: string | undefined;
  /** The events that it showed, as wire events. */
  readonly events: readonly Record<string, unknown>[];
  readonly result: unknown;
  readonly error: { readonly code: string; readonly message: string } | undefined;
}

export interface ChildOptions {
  /** A program with its arguments that runs the process, such as strace. */
  readonly wrapper?: readonly string[];
}

let outputs = 0;

/** Starts a process of the fixture in a sandbox. */
export function startChild(
  sandbox: Sandbox,
  order: Omit<CrashOrder, "cwd" | "ledger">,
  { wrapper = [] }: ChildOptions = {},
): ChildRun {
  const { cwd, ledger, temporary, root } = sandbox;
  outputs += 1;
  // A file and not a pipe: when the process is gone, all that it printed is there.
  const file = join(root, `output-${outputs}`);
  const output = openSync(file, "w");
  const fixture = crashProgram("fixture-run");
  const argv = [...wrapper, process.execPath, fixture, JSON.stringify({ ...order, cwd, ledger })];
  const child = spawn(argv[0] ?? "", argv.slice(1), {
    cwd,
    env: { ...process.env, NODE_OPTIONS: "", TMPDIR: temporary },
    stdio: ["ignore", output, output, "pipe"],
  });
  closeSync(output);
  const printed = () => parseOutput(readFileSync(file, "utf8"));
  const hasShown = watchProgress(child);
  return {
    pid: child.pid ?? 0,
    owns: hasShown(1),
    hasShown,
    gone: endOf(child, printed),
    printed,
    kill: (signal) => void child.kill(signal),
  };
}

/** Runs a process of the fixture to its end. */
export function runChild(
  sandbox: Sandbox,
  order: Omit<CrashOrder, "cwd" | "ledger">,
  options: ChildOptions = {},
): Promise<ChildEnd> {
  return startChild(sandbox, order, options).gone;
}

/** The process writes one byte for each event that it has shown. */
function watchProgress(child: ChildProcess): ChildRun["hasShown"] {
  const progress = child.stdio[3];
  if (!(progress instanceof Readable)) throw new Error("the child has no fourth stream");
  let shown = 0;
  const waiting = new Map<() => void, number>();
  progress.on("data", (bytes: Buffer) => {
    shown += bytes.length;
    for (const [resolve, events] of waiting) if (shown >= events) resolve();
  });
  return (events) =>
    new Promise((resolve) => {
      if (shown >= events) resolve();
      else waiting.set(resolve, events);
    });
}

async function endOf(child: ChildProcess, printed: () => Printed): Promise<ChildEnd> {
  await once(child, "exit");
  child.stdio[3]?.destroy();
  const { exitCode, signalCode } = child;
  return { exitCode, signal: signalCode, ...printed() };
}

function parseOutput(text: string): Printed {
  // A process that is killed inside a write may leave half a line, which nobody was shown.
  const complete = text.slice(0, text.lastIndexOf("\n") + 1);
  const lines = complete.split("\n").filter(Boolean).map(parseLine);
  const { run } = lines.find((line) => "run" in line) ?? {};
  const { error } = lines.find((line) => "error" in line) ?? {};
  return {
    run: typeof run === "string" ? run : undefined,
    events: lines.map((line) => line["event"]).filter(isRecord),
    result: lines.find((line) => "result" in line)?.["result"],
    error: isRecord(error)
      ? { code: String(error["code"]), message: String(error["message"]) }
      : undefined,
  };
}

/** Lines that are not JSON are what Node says on stderr. */
function parseLine(line: string): Record<string, unknown> {
  if (!line.startsWith("{")) return { error: { code: "STDERR", message: line } };
  const value: unknown = JSON.parse(line);
  return isRecord(value) ? value : {};
}
