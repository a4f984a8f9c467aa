import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { systemClock, type Timer } from "../foundation/clock.ts";
import { freeMemory } from "../foundation/free-memory.ts";
import { collectGarbage, usedBytes } from "../foundation/garbage.ts";
import { endProcesses } from "./end-processes.ts";
import { familyMembers, type ProcessFamily } from "./process-family.ts";
import type { ProcessTable } from "./system/process-entry.ts";

/** How a process ended. */
export interface ProcessEnd {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Takes what a process prints, and keeps none of the bytes. While its promise is pending nothing more is read. */
export type OutputHandler = (chunk: Buffer) => void | Promise<void>;

/** A started program with its whole family. */
export interface ManagedProcess {
  readonly pid: number;
  /** Writes to stdin; resolves once the pipe took it. A program that does not read is no error. */
  write(text: string): Promise<void>;
  closeStdin(): void;
  /** When the program itself has exited; its family may still live. */
  readonly exited: Promise<ProcessEnd>;
  /**
   * When the program has exited, nothing of its family lives and all output was handed out. Rejects with
   * what an output handler threw, after ending the family, or HOST_PROCESS_SURVIVED.
   */
  readonly ended: Promise<ProcessEnd>;
  /** Ends the whole family: SIGTERM, then SIGKILL. Resolves and rejects like `ended`; resolves also where it took too much. */
  end(): Promise<ProcessEnd>;
}

export interface ManagedProcessOptions {
  readonly child: ChildProcess;
  readonly family: ProcessFamily;
  /** A moment before the child was started, by the monotonic clock of the system. */
  readonly beforeMs: number;
  readonly table: ProcessTable;
  readonly graceMs: number;
  readonly onStdout: OutputHandler;
  readonly onStderr: OutputHandler;
}

// A process that escaped its family (new session, other environment, no parent) may hold the pipes.
const DRAIN_MS = 250;
// One that goes on printing is not listened to for ever.
const LONGEST_DRAIN_MS = 10_000;

/**
 * Owns one child process, its pipes and its family.
 * I1 The exit of the child decides, not the closing of its pipes.
 * I2 `ended` settles only after a look at the process table that found nothing of the family.
 * I3 There is one ending, whoever asks for it and how often: no second grace period.
 */
export class ManagedChild implements ManagedProcess {
  readonly pid: number;
  readonly exited: Promise<ProcessEnd>;
  readonly ended: Promise<ProcessEnd>;
  readonly #options: ManagedProcessOptions;
  readonly #pumps: Promise<unknown>;
  #ending: Promise<unknown> | undefined;
  #isCut = false;
  /** Chunks in the hands of a handler, and chunks done with. */
  #handling = 0;
  #handled = 0;
  #failure: { readonly error: unknown } | undefined;
  #breach: Error | undefined;

  constructor(options: ManagedProcessOptions) {
    const { child, onStdout, onStderr } = options;
    this.#options = options;
    this.pid = options.family.leader.pid;
    this.exited = new Promise((resolve) => {
      child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
    });
    // EPIPE: whoever does not read its stdin has its reasons; its exit code tells the rest.
    child.stdin?.on("error", () => {});
    this.#pumps = Promise.all([
      this.#pump(child.stdout, onStdout),
      this.#pump(child.stderr, onStderr),
    ]);
    this.ended = this.#finish();
    // Whoever holds the process sees the error; one whose holder is gone must not stop Troupe.
    this.ended.catch(() => {});
  }

  write(text: string): Promise<void> {
    const { stdin } = this.#options.child;
    if (stdin === null || !stdin.writable) return Promise.resolve();
    return new Promise((resolve) => {
      stdin.write(text, () => resolve());
    });
  }

  closeStdin(): void {
    this.#options.child.stdin?.end();
  }

  /** Ends the whole family; then `ended` rejects with the error. Whoever ends it too finds nothing wrong with that. */
  fail(error: Error): void {
    this.#breach ??= error;
    this.#failure ??= { error };
    this.end().catch(() => {});
  }

  end(): Promise<ProcessEnd> {
    // `ended` waits for the same ending and rejects with its error.
    this.#endFamily().catch(() => {});
    return this.ended.catch((error: unknown) => {
      if (error === this.#breach) return this.exited;
      throw error;
    });
  }

  async #finish(): Promise<ProcessEnd> {
    const end = await this.exited;
    try {
      await this.#endFamily();
    } finally {
      await this.#drain();
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    return end;
  }

  #endFamily(): Promise<unknown> {
    const { family, beforeMs, table, graceMs } = this.#options;
    this.#ending ??= endProcesses({
      table,
      graceMs,
      group: family.leader.pid,
      since: { ...family.leader, beforeMs },
      find: (listing) => familyMembers(listing, family),
    });
    return this.#ending;
  }

  async #pump(stream: Readable | null, onChunk: OutputHandler): Promise<void> {
    if (stream === null) return;
    try {
      for await (const read of stream) {
        const chunk: Buffer = read;
        this.#handling += 1;
        countOutput(chunk.byteLength);
        try {
          await onChunk(chunk);
        } finally {
          freeMemory(chunk);
          this.#handling -= 1;
          this.#handled += 1;
        }
      }
    } catch (error) {
      if (this.#isCut) return;
      this.#failure ??= { error };
      // Seen by `ended`, which waits for the same ending.
      this.#endFamily().catch(() => {});
    }
  }

  /** Waits for the end of the pipes, or until nothing came for a while, or until it takes too long. */
  async #drain(): Promise<void> {
    let isDone = false;
    const done = this.#pumps.then(() => {
      isDone = true;
    });
    const startMs = systemClock.monotonic();
    while (!isDone && systemClock.monotonic() - startMs < LONGEST_DRAIN_MS) {
      const before = this.#handled;
      await waitAtMost(DRAIN_MS, done);
      if (this.#handled === before && this.#handling === 0) break;
    }
    this.#isCut = true;
    const { stdin, stdout, stderr } = this.#options.child;
    for (const stream of [stdin, stdout, stderr]) stream?.destroy();
    if (this.#handling === 0) await done;
  }
}

async function waitAtMost(durationMs: number, done: Promise<void>): Promise<void> {
  let timer: Timer | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = systemClock.startTimer(durationMs, resolve);
  });
  await Promise.race([done, elapsed]);
  timer?.cancel();
  // A late timer runs before what lies in the pipes is read: give reading its turn.
  for (let round = 0; round < 3; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

// Owns: that this process stays small while programs print more than anybody reads (AGT-6). Left alone, V8 lets
// garbage pile up to more than 100 MB before it looks for it, since it does not know that none of it lasts.
// See docs/decisions/0030-memory-while-programs-are-loud.md.

/** From here on output is a stream and no answer. */
const LOUD_BYTES = 8 * 1024 * 1024;

const LOOK_EVERY_BYTES = 2 * 1024 * 1024;

const MOST_GARBAGE_BYTES = 12 * 1024 * 1024;

/** What is in use may grow by this share before it is looked through, so that looking costs little however much is in use. */
const MOST_GARBAGE_SHARE = 0.25;

let readBytes = 0;

let nextLookBytes = LOUD_BYTES;

let inUseBytes = Infinity;

let isSmall = false;

/** Counts what programs print to this process, and has garbage collected while they are loud. */
function countOutput(bytes: number): void {
  readBytes += bytes;
  if (readBytes < nextLookBytes) return;
  nextLookBytes = readBytes + LOOK_EVERY_BYTES;
  const now = usedBytes();
  inUseBytes = Math.min(inUseBytes, now);
  becomeSmall();
  if (now - inUseBytes <= Math.max(MOST_GARBAGE_BYTES, inUseBytes * MOST_GARBAGE_SHARE)) return;
  collectGarbage();
  inUseBytes = usedBytes();
}

/** Keeps the young generation from growing: everything of a stream dies young, however small that generation is. */
function becomeSmall(): void {
  if (!isSmall) setFlagsFromString("--semi-space-growth-factor=1");
  isSmall = true;
}
