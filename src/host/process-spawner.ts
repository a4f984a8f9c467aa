import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { Duplex } from "node:stream";
import type { Confinement, ResourceLimits } from "../contracts/host.ts";
import { systemClock } from "../foundation/clock.ts";
import { isShortage, outlastShortage, tooManyFiles } from "../foundation/shortage.ts";
import type { ResolveName } from "./egress/dial-target.ts";
import { descendsFrom, fromShownMark } from "./kernel-mark.ts";
import { ManagedChild, type ManagedProcess, type OutputHandler } from "./managed-process.ts";
import { nestMark, type ProcessFamily } from "./process-family.ts";
import { type ProcessOwner, thisOwner } from "./process-owner.ts";
import type { Reaper } from "./reaper.ts";
import { limitedCommand } from "./resource-limits.ts";
import { tryDescriptors } from "./sandbox/program-places.ts";
import type { ConfinedProgram, Sandbox } from "./sandbox/sandbox.ts";
import { LINE_DESCRIPTOR } from "./sandbox/sandbox-descriptors.ts";
import { commandNotFound, hostClosed, spawnFailed } from "./system/errors.ts";
import { findProgram, missingInterpreter, searchedDirectories } from "./system/find-program.ts";
import type { ProcessTable } from "./system/process-entry.ts";
import { reasonOf } from "./system/system-error.ts";

/** A program to start and keep. */
export interface SpawnRequest {
  /** The program and its arguments, never seen by a shell. */
  readonly argv: readonly [string, ...string[]];
  /** Absolute. */
  readonly cwd: string;
  /** The whole environment; TROUPE_MARK, TROUPE_OWNER and TROUPE_RUN are added. */
  readonly env: { readonly [name: string]: string };
  /** `closed`: the program finds its stdin empty. */
  readonly stdin: "open" | "closed";
  readonly onStdout: OutputHandler;
  readonly onStderr: OutputHandler;
  /** From SIGTERM to SIGKILL. Defaults to that of the host. */
  readonly graceMs?: number;
  /** Absent: no bounds. */
  readonly confine?: Confinement;
  /** What differs from the limits of the host. */
  readonly limits?: Partial<ResourceLimits>;
}

/** Starts programs so that nothing of them can outlive this process for long. */
export interface ProcessSpawner {
  /** Raises HOST_COMMAND_NOT_FOUND, HOST_SPAWN_FAILED, HOST_CLOSED, HOST_SANDBOX_UNAVAILABLE. */
  spawn(request: SpawnRequest): Promise<ManagedProcess>;
  /** Whether a program that lives was given the mark of the kernel that is shown so, or one above it. */
  hasStarted(shownMark: string): boolean;
  /** Ends everything that was started, then the reaper. Idempotent. */
  close(): Promise<void>;
}

export interface ProcessSpawnerOptions {
  /** Value of TROUPE_RUN; none when empty. */
  readonly run: string;
  /** This process's own TROUPE_MARK, if another Troupe started it. */
  readonly outerMark: string | undefined;
  /** This process's own PATH. */
  readonly path: string | undefined;
  readonly hasReaper: boolean;
  readonly graceMs: number;
  readonly table: ProcessTable;
  /** What each program with all that it starts may take of the machine. */
  readonly limits: ResourceLimits;
  /** Finds the addresses of names that confined programs ask for. Defaults to what this machine does. */
  readonly resolveName?: ResolveName | undefined;
}

/** A spawner that has started nothing yet, its reaper included. */
export function createProcessSpawner(options: ProcessSpawnerOptions): ProcessSpawner {
  const { table, outerMark } = options;
  const living = new Map<ManagedProcess, ProcessFamily>();
  let sandbox: Promise<Sandbox> | undefined;
  // Its parts, the network's among them, take tens of milliseconds to load.
  const getSandbox = () => {
    sandbox ??= import("./sandbox/sandbox.ts").then(({ createSandbox }) => createSandbox(options));
    return sandbox;
  };
  let isClosed = false;
  let owner: { readonly self: ProcessOwner; readonly reaper: Reaper | undefined } | undefined;
  const becomeOwner = () => {
    const self = thisOwner(table, outerMark);
    return { self, reaper: options.hasReaper ? self.hireReaper() : undefined };
  };
  return {
    spawn: async (request) => {
      if (isClosed) throw hostClosed({ command: request.argv[0] });
      const program = await toProgram(request, getSandbox);
      // Asking took a while.
      if (isClosed) return refuse(request, program);
      const mark = randomBytes(8).toString("hex");
      const { self, reaper } = await outlastShortage(async () => {
        if (isClosed) throw hostClosed({ command: request.argv[0] });
        owner ??= becomeOwner();
        // First the reaper: should this process be killed right after the next line, it knows the owner.
        owner.reaper?.start();
        return owner;
      }).catch((error: unknown) => {
        program.started();
        program.release();
        throw error;
      });
      const kernelMark = self.kernelMarks?.take();
      const marks = {
        TROUPE_MARK: nestMark(outerMark, mark),
        TROUPE_OWNER: self.mark,
        ...(options.run === "" ? {} : { TROUPE_RUN: options.run }),
      };
      const release = () => {
        if (kernelMark !== undefined) self.kernelMarks?.giveBack(kernelMark);
        program.release();
      };
      const limits = { ...options.limits, ...request.limits };
      const command = limitedCommand(program, kernelMark, limits);
      const beforeMs = systemClock.monotonic();
      const { child, leader } = await outlastShortage(async () => {
        // Waiting took a while, and what is started after the end would outlive it.
        if (isClosed) throw hostClosed({ command: request.argv[0] });
        return start({ ...program, ...command }, request, marks);
      })
        .then((started) => ({ child: started, leader: leaderOf(started, request, table) }))
        .catch((error: unknown) => {
          release();
          throw error;
        })
        .finally(program.started);
      const line = child.stdio[LINE_DESCRIPTOR];
      if (line instanceof Duplex) program.serveNetwork?.(line);
      const family = { leader, mark, kernelMark };
      reaper?.watch(family);
      const { onStdout, onStderr, graceMs = options.graceMs } = request;
      const managed = new ManagedChild({
        ...{ child, family, beforeMs, table, graceMs, onStdout, onStderr },
      });
      living.set(managed, family);
      const forgetFamily = self.families.watch({
        family,
        limits,
        fail: (error) => managed.fail(error),
      });
      const forget = () => {
        living.delete(managed);
        forgetFamily();
        release();
        reaper?.forget(family);
      };
      managed.ended.then(forget, forget);
      return managed;
    },
    hasStarted: (shownMark) => {
      const found = fromShownMark(shownMark);
      return [...living.values()].some(
        ({ kernelMark }) =>
          found !== undefined && kernelMark !== undefined && descendsFrom(found, kernelMark),
      );
    },
    close: async () => {
      isClosed = true;
      // Whoever holds a process sees what went wrong with its end.
      await Promise.allSettled([...living.keys()].map((managed) => managed.end()));
      await owner?.reaper?.close();
    },
  };
}

/** What is started for a request: its program, or what confines it. */
type Program = ConfinedProgram;

async function toProgram(
  request: SpawnRequest,
  getSandbox: () => Promise<Sandbox>,
): Promise<Program> {
  const file = locate(request);
  const args = request.argv.slice(1).map(withoutNul);
  const { confine, cwd, env } = request;
  if (confine === undefined) {
    const nothing = () => {};
    return { file, args, slots: [], started: nothing, release: nothing };
  }
  return (await getSandbox()).confine({ confine, file, args, cwd, env });
}

function refuse({ argv: [command] }: SpawnRequest, program: Program): never {
  program.started();
  program.release();
  throw hostClosed({ command });
}

function locate({ argv: [program], env, cwd }: SpawnRequest): string {
  const file = findProgram(program, env, cwd);
  // Said by the system only where no shell stands between, which a mark or limits need.
  if (file !== undefined && missingInterpreter(file) !== undefined)
    throw spawnFailed({ command: program, reason: "its interpreter was not found" });
  if (file !== undefined) return file;
  const searched = program.includes("/") ? cwd : `PATH (${searchedDirectories(env).join(":")})`;
  throw commandNotFound({ command: program, searched });
}

/** The child, running; its events come in a later turn of the event loop. */
async function start(
  { file, args, slots }: Program,
  request: SpawnRequest,
  marks: { readonly [name: string]: string },
): Promise<ChildProcess> {
  const [command] = request.argv;
  const fail = (error: unknown) =>
    isShortage(error)
      ? tooManyFiles({ action: `start ${command}` }, { cause: error })
      : spawnFailed({ command, reason: explain(error, request.cwd) }, { cause: error });
  const stdio = [request.stdin === "open" ? "pipe" : "ignore", "pipe", "pipe", ...slots] as const;
  let child: ChildProcess;
  try {
    // Both ends of each pipe, those of the one that tells whether it started, and the empty stdin.
    tryDescriptors(2 * stdio.filter((each) => each === "pipe").length + 3);
    child = spawn(file, args, {
      cwd: request.cwd,
      env: toEnvironment({ ...request.env, ...marks }),
      // A group and session of its own, whose number is the pid.
      detached: true,
      stdio: [...stdio],
    });
  } catch (error) {
    throw fail(error);
  }
  if (child.pid !== undefined) return child;
  return new Promise((_, reject) => {
    child.once("error", (error) => reject(fail(error)));
  });
}

function explain(error: unknown, cwd: string): string {
  const reason = reasonOf(error);
  if (reason !== "ENOENT" && reason !== "ENOTDIR") return reason;
  const isDirectory = statSync(cwd, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isDirectory ? "its interpreter was not found" : `there is no directory ${cwd}`;
}

// The system cannot pass on NUL: it ends every argument and variable.
function withoutNul(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}

function toEnvironment(env: { readonly [name: string]: string }): { [name: string]: string } {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [withoutNul(name), withoutNul(value)]),
  );
}

/**
 * A child keeps its entry, if only as a zombie, until the event loop turns. One that cannot be looked at is ended: nobody
 * could end its family. Raises HOST_TOO_MANY_FILES.
 */
function leaderOf(
  child: ChildProcess,
  { argv: [command] }: SpawnRequest,
  table: ProcessTable,
): ProcessFamily["leader"] {
  const { pid } = child;
  if (pid === undefined) throw new RangeError("a started process has a pid");
  try {
    return { pid, startedAt: table.find(pid)?.startedAt ?? "0" };
  } catch (error) {
    process.kill(-pid, "SIGKILL");
    // Nobody reads them, so they would stay open and leave less for the next attempt.
    for (const stream of child.stdio) stream?.destroy();
    throw isShortage(error)
      ? tooManyFiles({ action: `look at ${command}` }, { cause: error })
      : error;
  }
}
