import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";
import { readHostName } from "./system/host-name.ts";
import type { ProcessEntry, ProcessListing, ProcessTable } from "./system/process-entry.ts";

const COLUMNS = ["pid=", "ppid=", "pgid=", "uid=", "stat=", "lstart=", "command="];
const LINE =
  /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+[\d:]+\s+\d{4})\s+(.*)$/;
// The C locale and UTC make `lstart` readable whatever the user's settings are.
const PS_ENV = { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C", TZ: "UTC" };
const LARGEST_LISTING_BYTES = 256 * 1024 * 1024;

/**
 * The process table of macOS, read by `ps`. The system hides the environment of its own protected
 * programs, so those are found by group and descent only.
 */
export function createDarwinProcessTable(): ProcessTable {
  return {
    find: (pid) => parsePsListing(showProcess(pid), process.getuid?.())[0],
    list: listProcesses,
    bootId: () =>
      execFileSync("sysctl", ["-n", "kern.bootsessionuuid"], {
        env: PS_ENV,
        encoding: "utf8",
      }).trim(),
    host: readHostName,
    hasLockLimits: false,
  };
}

/** The entries in the output of `ps -E` with the columns of this file. Lines of another form are left out. */
export function parsePsListing(text: string, ownUid: number | undefined): ProcessEntry[] {
  return text.split("\n").flatMap((line) => {
    const match = LINE.exec(line);
    return match === null ? [] : [toEntry(match, ownUid)];
  });
}

function toEntry(match: RegExpExecArray, ownUid: number | undefined): ProcessEntry {
  const [, pid, parent, group, uid, state = "", started = "", command = ""] = match;
  return {
    pid: Number(pid),
    startedAt: String(Math.floor(Date.parse(`${started} UTC`) / 1000)),
    parent: Number(parent),
    group: Number(group),
    session: 0,
    isDead: state.startsWith("Z"),
    memoryBytes: () => 0,
    ownMemoryBytes: () => 0,
    isOwn: () => Number(uid) === ownUid,
    variable: (name) => new RegExp(`(?:^| )${name}=(\\S*)`).exec(command)?.[1],
    lockLimit: () => undefined,
    sharesPids: () => true,
  };
}

function showProcess(pid: number): string {
  try {
    return execFileSync("ps", [...psArguments(), "-p", String(pid)], {
      env: PS_ENV,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: LARGEST_LISTING_BYTES,
    });
  } catch {
    // ps exits with 1 when there is no such process.
    return "";
  }
}

async function listProcesses(): Promise<ProcessListing> {
  const { stdout } = await promisify(execFile)("ps", ["-ax", ...psArguments()], {
    env: PS_ENV,
    maxBuffer: LARGEST_LISTING_BYTES,
  });
  return {
    entries: parsePsListing(stdout, process.getuid?.()),
    isComplete: true,
    hasStarting: false,
  };
}

function psArguments(): string[] {
  return ["-E", "-ww", ...COLUMNS.flatMap((column) => ["-o", column])];
}
