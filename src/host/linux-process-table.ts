import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { isShortage } from "../foundation/shortage.ts";
import { readHostName } from "./system/host-name.ts";
import type {
  ListingScope,
  ProcessEntry,
  ProcessListing,
  ProcessTable,
} from "./system/process-entry.ts";

const LOCK_LIMIT = /^Max file locks +\S+ +(\d+) /m;
// One pid for each world that it is seen from.
const NESTED_PID = /^NSpid:\s+\d+\s+\d/m;
const KERNEL_THREAD_FLAG = 0x200000;
// The kernel hands pids out in rising order, and starts anew at the end. No processor makes more in a millisecond,
// threads included, which take pids too.
const MOST_PIDS_PER_MS = 100;
const RESERVED_PIDS = 300;

/** The process table of Linux, read from /proc. */
export function createLinuxProcessTable(): ProcessTable {
  return {
    find: (pid) => readEntry(pid, () => {}),
    list: (scope) => Promise.resolve(readAll(scope)),
    bootId: readBootId,
    host: readHostName,
    hasLockLimits: true,
  };
}

function readAll(scope: ListingScope | undefined): ProcessListing {
  const firstPid = scope === undefined || mayHaveWrapped(scope) ? 0 : scope.sincePid;
  const entries: ProcessEntry[] = [];
  let isComplete = true;
  let hasStarting = false;
  const noteStarting = () => {
    hasStarting = true;
  };
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid < firstPid) continue;
    const entry = readEntry(pid, noteStarting);
    if (entry === undefined) isComplete = false;
    else entries.push(entry);
  }
  return {
    entries,
    isComplete,
    get hasStarting() {
      return hasStarting;
    },
  };
}

/** Whether pids may have started anew since a process began, so that a lower one may be younger. */
function mayHaveWrapped({ sincePid, ageMs }: ListingScope): boolean {
  const pids = Number(readProcFile("sys/kernel/pid_max")) - RESERVED_PIDS;
  // Once around and beyond would not show in the last pid.
  if (!(ageMs * MOST_PIDS_PER_MS * availableParallelism() < pids)) return true;
  const lastPid = Number(readProcFile("loadavg")?.trim().split(" ").at(-1));
  return !(lastPid >= sincePid);
}

function readEntry(pid: number, noteStarting: () => void): ProcessEntry | undefined {
  const stat = readProc(pid, "stat");
  if (stat === undefined) return undefined;
  // The name of the program may hold spaces and brackets; the rest follows its last bracket.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const isKernelThread = (Number(fields[6]) & KERNEL_THREAD_FLAG) !== 0;
  return {
    pid,
    startedAt: fields[19] ?? "0",
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    // A process whose first thread has ended shows as a zombie while its other threads go on.
    isDead: (fields[0] === "Z" || fields[0] === "X") && Number(fields[17]) <= 1,
    memoryBytes: () => memoryOf(pid),
    ownMemoryBytes: () => shareOf(pid) ?? memoryOf(pid),
    isOwn: () => !isKernelThread && isOfOwnUser(pid),
    variable: isKernelThread ? () => undefined : environmentOf(pid, noteStarting),
    lockLimit: once(() => (isKernelThread ? undefined : readLockLimit(pid))),
    sharesPids: once(() => !NESTED_PID.test(readProc(pid, "status") ?? "")),
  };
}

function memoryOf(pid: number): number {
  const status = readProc(pid, "status") ?? "";
  return (kilobytes(status, "RssAnon") ?? 0) + (kilobytes(status, "RssShmem") ?? 0);
}

/** Undefined for a process of another user, and on kernels that do not tell. */
function shareOf(pid: number): number | undefined {
  const rollup = readProc(pid, "smaps_rollup") ?? "";
  const anonymous = kilobytes(rollup, "Pss_Anon");
  return anonymous === undefined ? undefined : anonymous + (kilobytes(rollup, "Pss_Shmem") ?? 0);
}

/** A line of the kernel's, in bytes. */
function kilobytes(text: string, name: string): number | undefined {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1];
  return found === undefined ? undefined : Number(found) * 1024;
}

function environmentOf(
  pid: number,
  noteStarting: () => void,
): (name: string) => string | undefined {
  let environment: string | undefined;
  return (name) => {
    environment ??= `\0${readProc(pid, "environ") ?? ""}`;
    if (environment === "\0" && isStarting(pid)) noteStarting();
    const start = environment.indexOf(`\0${name}=`);
    if (start < 0) return undefined;
    const valueStart = start + name.length + 2;
    const end = environment.indexOf("\0", valueStart);
    return environment.slice(valueStart, end < 0 ? undefined : end);
  };
}

/** The directory itself shows the user also of a process that may not be looked into. */
function isOfOwnUser(pid: number): boolean {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

/** An entry tells of one moment, however often it is asked. */
function once<Value>(read: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => {
    known ??= { value: read() };
    return known.value;
  };
}

function readLockLimit(pid: number): bigint | undefined {
  // The columns are those of the soft limit, which is anybody's to raise, and of the hard one.
  const hard = LOCK_LIMIT.exec(readProc(pid, "limits") ?? "")?.[1];
  return hard === undefined ? undefined : BigInt(hard);
}

/**
 * In the middle of execve a process has neither arguments nor environment for a moment, on a loaded
 * machine for a long one.
 */
function isStarting(pid: number): boolean {
  return readProc(pid, "cmdline") === "";
}

type ProcReader = (
  pid: number,
  file: "stat" | "environ" | "cmdline" | "limits" | "status" | "smaps_rollup",
) => string | undefined;

function readProcFile(path: "sys/kernel/pid_max" | "loadavg"): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch {
    return undefined;
  }
}

/**
 * Undefined when the process is gone or belongs to somebody else: both mean that it is none of ours. Raises EMFILE and
 * ENFILE: one that could not be looked at is neither gone nor free of a mark.
 */
const readProc: ProcReader = (pid, file) => {
  try {
    // Node reads UTF-8 at once, anything else by way of large buffers; what is looked for is ASCII.
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch (error) {
    if (isShortage(error)) throw error;
    return undefined;
  }
};

/** A container has the boot id of its machine but pids of its own, so the pid namespace is part of it. */
function readBootId(): string {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  const namespace = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  return `${boot}.${namespace}`;
}
