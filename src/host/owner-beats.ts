import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { systemClock } from "../foundation/clock.ts";
import { sha256 } from "../foundation/hash.ts";
import type { ProcessTable } from "./system/process-entry.ts";
import {
  bootClockMs,
  isSameView,
  livenessOf,
  type ProcessIdentity,
} from "./system/process-identity.ts";
import { systemErrorCode } from "./system/system-error.ts";

// Owns the signs of life of processes that own something: runs, slots, accounts, names.
// B1: a sign is a file per process and directory, written in place and never synced. It says when, on the clock of its
//     writer's boot, and on which host.
// B2: monotonic clocks of two boots do not compare. An owner elsewhere is silent for as long as its sign stayed the same
//     on the reader's own clock.
// B3: the file of a process elsewhere is removed only when it is days old: that its pid is free here says nothing.

/** How long an owner may be silent before what it holds is taken from it. */
export const OWNER_TTL_MS = 10_000;
const KEEP_MS = 3000;

// Several times in the life of a lease, whatever the number of runs that one process keeps.
const BEAT_MS = 1000;
/** For lists only: an owner elsewhere whose file is this old is shown as gone, unless clocks are that far apart. */
const SILENT_FILE_MS = 60_000;
const FORGOTTEN_FILE_MS = 86_400_000;
const DIGITS = 16;
const MAX_BYTES = 512;
const BEAT = /^(\d{16})(?: (\S+) \S+ (\S+)\n)?/;
const NO_HOST = "-";
const FILE = /^\.owner-(\d+)-[0-9a-f]{12}$/;
const FILE_MODE = 0o600;

/** The process that a sign of life is about. */
type Owner = ProcessIdentity;

/** What the file of a process says. */
export interface SignOfLife {
  /** On the clock of its boot, in ms. */
  readonly atMs: number;
  readonly owner: Pick<Owner, "bootId" | "host"> | undefined;
  /** Calendar time of the last write, as the file system tells it. */
  readonly writtenAtMs: number;
}

/**
 * When processes that own something were last at work: a file for each process in each directory. It renews everything that
 * the process holds there, so that runs that wait cost no writes. One object per process.
 */
export class OwnerBeats {
  readonly #nowMs: () => number;
  readonly #lastMs = new Map<string, number>();
  readonly #seen = new Map<string, { readonly sign: string; readonly sinceMs: number }>();
  readonly #kept = new Map<string, { users: number; stop(): void }>();

  /** `nowMs` reads the clock of this boot. */
  constructor(nowMs: () => number = bootClockMs) {
    this.#nowMs = nowMs;
  }

  /** Says that a process is at work at this time of the boot's clock, in ms. Raises errors of the system. */
  beat(directory: string, owner: Owner, nowMs: number): void {
    const path = fileOf(directory, owner);
    const lastMs = this.#lastMs.get(path);
    if (lastMs !== undefined && nowMs >= lastMs && nowMs - lastMs < BEAT_MS) return;
    if (lastMs === undefined) removeOfDead(directory, owner);
    const text = `${String(Math.floor(nowMs)).padStart(DIGITS, "0")} ${owner.bootId} ${owner.startedAt} ${owner.host ?? NO_HOST}\n`;
    try {
      writeBeat(path, text);
    } catch (error) {
      if (systemErrorCode(error) !== "ELOOP") throw error;
      // Somebody laid a link there: it goes, so that no run is lost by it.
      rmSync(path, { force: true });
      writeBeat(path, text);
    }
    this.#lastMs.set(path, nowMs);
  }

  /** Keeps saying that this process is at work until the result is called; once for all that ask for a directory. */
  keep(directory: string, owner: Owner): () => void {
    const path = fileOf(directory, owner);
    const kept = this.#kept.get(path) ?? this.#startKeeping(directory, owner);
    this.#kept.set(path, kept);
    kept.users += 1;
    let isKept = true;
    return () => {
      if (!isKept) return;
      isKept = false;
      kept.users -= 1;
      if (kept.users > 0) return;
      kept.stop();
      this.#kept.delete(path);
    };
  }

  /** The last sign of life of a process; undefined when it gave none. */
  read(directory: string, owner: Owner): SignOfLife | undefined {
    return readSign(fileOf(directory, owner));
  }

  /** The same owner with the name of its host, where its sign of life tells it. */
  identify<Known extends Owner>(directory: string, owner: Known): Known {
    const host = owner.host ?? readSign(fileOf(directory, owner))?.owner?.host;
    return host === undefined ? owner : { ...owner, host };
  }

  /** How long something has looked the same to this process, in ms of its clock; 0 at the first look (B2). */
  unchangedMs(subject: string, sign: string, nowMs: number): number {
    const before = this.#seen.get(subject);
    if (before?.sign === sign && before.sinceMs <= nowMs) return nowMs - before.sinceMs;
    this.#seen.set(subject, { sign, sinceMs: nowMs });
    return 0;
  }

  /** For how long this process has seen no new sign of life, in ms of its clock; undefined if there never was one. */
  silentMs(directory: string, owner: Owner, nowMs: number): number | undefined {
    const path = fileOf(directory, owner);
    const sign = readSign(path);
    return sign === undefined ? undefined : this.unchangedMs(path, String(sign.atMs), nowMs);
  }

  /** True if what `owner` holds in this directory is still its own. */
  isHeld(
    directory: string,
    { owner, table }: { readonly owner: Owner; readonly table: ProcessTable },
  ): boolean {
    const liveness = livenessOf(table, this.identify(directory, owner));
    if (liveness !== "elsewhere") return liveness === "alive";
    const nowMs = this.#nowMs();
    const silentMs = this.silentMs(directory, owner, nowMs);
    return (silentMs ?? this.unchangedMs(fileOf(directory, owner), "", nowMs)) < OWNER_TTL_MS;
  }

  /** True if lists show `owner` as gone. Nothing is taken from an owner on this answer (see SILENT_FILE_MS). */
  seemsGone(
    directory: string,
    {
      owner,
      table,
      lastSeenAt,
    }: {
      readonly owner: Owner;
      readonly table: ProcessTable;
      /** Calendar time of its last sign of life, in ms. */
      readonly lastSeenAt: number | undefined;
    },
  ): boolean {
    if (!this.isHeld(directory, { owner, table })) return true;
    if (livenessOf(table, this.identify(directory, owner)) !== "elsewhere") return false;
    return lastSeenAt !== undefined && Math.abs(Date.now() - lastSeenAt) > SILENT_FILE_MS;
  }

  /** True if a process elsewhere seems to be at work in a directory. For lists, as `seemsGone`. */
  hasOthers(directory: string, self: Owner): boolean {
    return readdirSync(directory).some((name) => {
      if (!FILE.test(name)) return false;
      const sign = readSign(join(directory, name));
      const isOther = sign?.owner !== undefined && !isSameView(sign.owner, self);
      return isOther && Date.now() - sign.writtenAtMs < SILENT_FILE_MS;
    });
  }

  #startKeeping(directory: string, owner: Owner): { users: number; stop(): void } {
    let timer: { cancel(): void } | undefined;
    const again = () => {
      try {
        this.beat(directory, owner, this.#nowMs());
      } catch {
        // A beat that is lost by a full disk or a shortage comes with the next one; what is held runs out otherwise.
      }
      timer = systemClock.startTimer(KEEP_MS, again);
    };
    again();
    return { users: 0, stop: () => timer?.cancel() };
  }
}

function fileOf(directory: string, { pid, startedAt, bootId }: Owner): string {
  const life = sha256(`${bootId} ${startedAt}`).slice(0, 12);
  return join(directory, `.owner-${pid}-${life}`);
}

/** A file that another removes although its process lives is there again with the next beat. */
function removeOfDead(directory: string, self: Owner): void {
  for (const name of readdirSync(directory)) {
    const pid = FILE.exec(name)?.[1];
    if (pid === undefined) continue;
    const path = join(directory, name);
    if (!isProcess(Number(pid)) && isOursToRemove(path, self)) rmSync(path, { force: true });
  }
}

function isOursToRemove(path: string, self: Owner): boolean {
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info === undefined) return false;
  if (Date.now() - info.mtimeMs > FORGOTTEN_FILE_MS) return true;
  const owner = readSign(path)?.owner;
  return owner !== undefined && isSameView(owner, self);
}

// A directory that was cloned may hold anything under this name: neither a link is followed nor a pipe waited for.
const PLAIN = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Overwritten in place: whoever reads meanwhile finds one time or the other. */
function writeBeat(path: string, text: string): void {
  const handle = openSync(path, constants.O_WRONLY | constants.O_CREAT | PLAIN, FILE_MODE);
  try {
    writeSync(handle, text, 0);
  } finally {
    closeSync(handle);
  }
}

function readSign(path: string): SignOfLife | undefined {
  let handle: number;
  try {
    handle = openSync(path, constants.O_RDONLY | PLAIN);
  } catch (error) {
    if (["ENOENT", "ELOOP", "ENXIO"].includes(systemErrorCode(error) ?? "")) return undefined;
    throw error;
  }
  try {
    const info = fstatSync(handle);
    if (!info.isFile()) return undefined;
    const bytes = Buffer.alloc(MAX_BYTES);
    const text = bytes.toString("latin1", 0, readSync(handle, bytes, 0, MAX_BYTES, 0));
    const [, at, bootId, host] = BEAT.exec(text) ?? [];
    if (at === undefined) return undefined;
    const known = host === undefined || host === NO_HOST ? {} : { host };
    const owner = bootId === undefined ? undefined : { bootId, ...known };
    return { atMs: Number(at), owner, writtenAtMs: info.mtimeMs };
  } finally {
    closeSync(handle);
  }
}

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) !== "ESRCH";
  }
}
