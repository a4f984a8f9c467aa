import { systemClock } from "../foundation/clock.ts";
import { isShortage } from "../foundation/shortage.ts";
import { withDescendants } from "./process-family.ts";
import { processSurvived } from "./system/errors.ts";
import type {
  ListingScope,
  ProcessEntry,
  ProcessListing,
  ProcessRef,
  ProcessTable,
} from "./system/process-entry.ts";
import { isAlive } from "./system/process-identity.ts";
import { systemErrorCode } from "./system/system-error.ts";

export interface EndOptions {
  readonly table: ProcessTable;
  /** Picks what must end. Asked again until it picks nothing, so forks meanwhile are found too. */
  readonly find: (
    listing: ProcessListing,
  ) => readonly ProcessEntry[] | Promise<readonly ProcessEntry[]>;
  /** A process group to signal as a whole as long as something found is in it. */
  readonly group?: number;
  /** Before what nothing can be of interest. Defaults to none. */
  readonly since?: BeginOfInterest;
  /** From SIGTERM to SIGKILL. */
  readonly graceMs: number;
  /** From the first SIGKILL until HOST_PROCESS_SURVIVED is raised. Defaults to 5 s. */
  readonly killMs?: number;
}

/** A process before which nothing can be of interest. */
export interface BeginOfInterest extends ProcessRef {
  /** A moment before it started, by the monotonic clock of the system. */
  readonly beforeMs: number;
}

/** What was signalled, by pid and start time. */
type Ended = Map<string, ProcessEntry>;

const LONGEST_PAUSE_MS = 25;
/** How long too many files may be open. */
const SHORTAGE_MS = 60_000;
const STARTING_MS = 200;
const MOST_SCANS = 10;

/**
 * Ends all processes that `find` picks: SIGTERM, after the grace period SIGSTOP and SIGKILL, each one
 * verified by pid and start time right before its signal. Resolves with what it had to end once nothing is left, at once if nothing
 * was there. Time is the system's, since that of other processes cannot be a test's.
 */
export async function endProcesses(options: EndOptions): Promise<readonly ProcessEntry[]> {
  const { graceMs, killMs = 5000 } = options;
  const ended: Ended = new Map();
  const startMs = systemClock.monotonic();
  for (let pauseMs = 1; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
    const scanStartMs = systemClock.monotonic();
    let elapsedMs = scanStartMs - startMs;
    try {
      const found = await findLiving(options, ended);
      if (found.length === 0) return [...ended.values()];
      elapsedMs = systemClock.monotonic() - startMs;
      if (elapsedMs > graceMs + killMs)
        throw processSurvived({ pids: found.map((entry) => entry.pid) });
      if (elapsedMs >= graceMs) await killAll(found, ended, options);
      else {
        const fresh = found.filter((entry) => !ended.has(keyOf(entry)));
        sendSignal("SIGTERM", fresh, ended.size === 0 ? options : without(options));
        note(fresh, ended);
      }
    } catch (error) {
      // While too many files are open nobody can be looked at, which says nothing of who lives.
      if (!isShortage(error) || elapsedMs > graceMs + SHORTAGE_MS) throw error;
    }
    // Where looking is expensive, look less often.
    const scanMs = systemClock.monotonic() - scanStartMs;
    const untilKillMs = elapsedMs < graceMs ? graceMs - elapsedMs : LONGEST_PAUSE_MS;
    await pause(Math.min(Math.max(pauseMs, scanMs), untilKillMs));
  }
}

/**
 * Kills what was found and what shows up meanwhile. First everything is stopped: what stands still forks
 * no more, so a look that finds nothing new has found all that these have started.
 */
async function killAll(
  found: readonly ProcessEntry[],
  ended: Ended,
  options: EndOptions,
): Promise<void> {
  const stopped: Ended = new Map();
  let all = found;
  for (let scan = 1; scan <= MOST_SCANS; scan += 1) {
    note(all, ended);
    const moving = note(all, stopped);
    if (moving.length === 0) break;
    sendSignal("SIGSTOP", moving, options);
    all = await findLiving(options, ended);
  }
  sendSignal("SIGKILL", all, options);
}

/** Those that were not noted yet. */
function note(found: readonly ProcessEntry[], noted: Ended): readonly ProcessEntry[] {
  const fresh = found.filter((entry) => !noted.has(keyOf(entry)));
  for (const entry of fresh) noted.set(keyOf(entry), entry);
  return fresh;
}

/**
 * What `find` picks, and what is left of that which was signalled before, with all descendants. Finding
 * nothing counts only for a listing that can have missed nothing: else a process that ended, or began
 * another program, while the list was made may have left a child that is not on it.
 */
async function findLiving(
  { table, find, since }: EndOptions,
  signalled: ReadonlyMap<string, ProcessEntry>,
): Promise<readonly ProcessEntry[]> {
  const startMs = systemClock.monotonic();
  let zombies: ReadonlySet<string> = new Set();
  for (let scan = 1; ; scan += 1) {
    const listing = await table.list(since && toScope(since));
    // One that was found by its parent only must not be lost when the parent ends first.
    const known = listing.entries.filter((entry) => !entry.isDead && signalled.has(keyOf(entry)));
    const found = withDescendants(listing, [...(await find(listing)), ...known]);
    const before = zombies;
    zombies = zombiesOf(listing, since?.startedAt ?? "0");
    const isSettled = listing.isComplete && [...zombies].every((zombie) => before.has(zombie));
    if (found.length > 0 || (!listing.hasStarting && (isSettled || scan >= MOST_SCANS)))
      return found;
    if (listing.hasStarting) {
      if (systemClock.monotonic() - startMs > STARTING_MS) return found;
      await pause(1);
    }
  }
}

function toScope({ pid, beforeMs }: BeginOfInterest): ListingScope {
  return { sincePid: pid, ageMs: systemClock.monotonic() - beforeMs };
}

function zombiesOf(listing: ProcessListing, since: string): ReadonlySet<string> {
  const young = listing.entries.filter((entry) => Number(entry.startedAt) >= Number(since));
  return new Set(young.filter((entry) => entry.isDead).map(keyOf));
}

type Signal = "SIGTERM" | "SIGSTOP" | "SIGKILL";
type Signalling = Pick<EndOptions, "table" | "group">;

function sendSignal(
  signal: Signal,
  entries: readonly ProcessEntry[],
  { table, group }: Signalling,
): void {
  const isGroupAlive = entries.some((entry) => entry.group === group && isAlive(table, entry));
  // One signal to the whole group leaves no gap in which a member could fork.
  if (group !== undefined && isGroupAlive) kill(-group, signal);
  for (const entry of entries) {
    if (isGroupAlive && entry.group === group) continue;
    if (isAlive(table, entry)) kill(entry.pid, signal);
  }
}

/** Late members are signalled one by one, so that those before them do not get SIGTERM twice. */
function without({ table }: Signalling): Signalling {
  return { table };
}

function kill(pid: number, signal: Signal): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // ESRCH: it ended by itself just now. EPERM: it changed its user; the next listing tells if it stays.
    const code = systemErrorCode(error);
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

function keyOf(entry: ProcessEntry): string {
  return `${entry.pid}:${entry.startedAt}`;
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => {
    systemClock.startTimer(durationMs, resolve);
  });
}
