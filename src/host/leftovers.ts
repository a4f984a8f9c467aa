import { endProcesses } from "./end-processes.ts";
import { isMark, markOf, ownerNumber, ownerOfMark } from "./kernel-mark.ts";
import { withDescendants } from "./process-family.ts";
import { createProcessTable } from "./process-table.ts";
import type {
  ProcessEntry,
  ProcessListing,
  ProcessRef,
  ProcessTable,
} from "./system/process-entry.ts";
import { fromOwnerMark, isAlive } from "./system/process-identity.ts";

/** A process whose owner was gone, and that was ended. */
export interface Leftover {
  readonly pid: number;
  readonly startedAt: string;
  /** The run it belonged to; undefined for what it started itself with another environment. */
  readonly run: string | undefined;
}

export interface LeftoverOptions {
  readonly table?: ProcessTable;
  /** From SIGTERM to SIGKILL. Defaults to 1 s. */
  readonly graceMs?: number;
}

/** What processes of Troupe left running that are gone themselves; nothing is ended. */
export async function findLeftovers(table: ProcessTable): Promise<readonly Leftover[]> {
  const listing = await table.list();
  return (await orphansIn(listing, table)).map(toLeftover);
}

/**
 * Ends what processes of Troupe started that are gone themselves, reapers included. Touches only
 * processes of this user whose mark or TROUPE_OWNER names a process of this boot that does not run any
 * more, and what those have started. Raises HOST_PROCESS_SURVIVED.
 */
export async function endLeftovers(options: LeftoverOptions = {}): Promise<readonly Leftover[]> {
  const { table = createProcessTable(), graceMs = 1000 } = options;
  const find = (listing: ProcessListing) => orphansIn(listing, table);
  const ended = await endProcesses({ table, find, graceMs });
  return ended.map(toLeftover);
}

/**
 * Living processes of this user whose limit of file locks somebody has set and that is no mark: what
 * throws its mark away looks like this. Hardly anything else does.
 */
export async function findUnmarked(table: ProcessTable): Promise<readonly ProcessRef[]> {
  const { entries } = await table.list();
  const unmarked = entries.filter((entry) => {
    const limit = entry.isDead ? undefined : entry.lockLimit();
    return limit !== undefined && !isMark(limit) && entry.isOwn();
  });
  return unmarked.map(({ pid, startedAt }) => ({ pid, startedAt }));
}

function toLeftover(entry: ProcessEntry): Leftover {
  const { pid, startedAt } = entry;
  return { pid, startedAt, run: entry.variable("TROUPE_RUN") };
}

async function orphansIn(
  listing: ProcessListing,
  table: ProcessTable,
): Promise<readonly ProcessEntry[]> {
  const bootId = table.bootId();
  const fromOutside = ownersOutside(listing);
  const living = listing.entries.filter((entry) => !entry.isDead && entry.pid !== process.pid);
  const orphans = living.filter((entry) => namesGoneOwner(entry, table, bootId));
  // The owner of what is in a container is in there too, under a pid that is another one out here.
  const marked = living.filter((entry) => {
    const mark = markOf(entry);
    if (mark === undefined || fromOutside.has(ownerOfMark(mark))) return false;
    return entry.isOwn() && entry.sharesPids();
  });
  const doubtful = withoutOwner(marked, listing, bootId);
  // An owner may have started, and started something, while the list was made: it is on the next one.
  const later = doubtful.length === 0 ? listing : await table.list();
  const gone = withoutOwner(doubtful, later, bootId);
  return withDescendants(listing, [...orphans, ...gone]);
}

/**
 * Owners whose marks came into this pid namespace from outside, with a process whose parent cannot be seen. They are not
 * among its processes, and may live.
 */
function ownersOutside({ entries }: ProcessListing): ReadonlySet<bigint> {
  const marks = entries.filter(({ parent }) => parent === 0).map(markOf);
  return new Set(marks.filter((mark) => mark !== undefined).map(ownerOfMark));
}

function namesGoneOwner(entry: ProcessEntry, table: ProcessTable, bootId: string): boolean {
  const mark = entry.variable("TROUPE_OWNER");
  const owner = mark === undefined ? undefined : fromOwnerMark(mark);
  // What lives now is of this boot: another boot id is that of a container, whose pids we cannot judge.
  if (owner === undefined || owner.bootId !== bootId) return false;
  return !isAlive(table, owner) && entry.isOwn();
}

/** Those whose mark names an owner that is not among the living. */
function withoutOwner(
  marked: readonly ProcessEntry[],
  { entries }: ProcessListing,
  bootId: string,
): readonly ProcessEntry[] {
  if (marked.length === 0) return [];
  const living = entries.filter((entry) => !entry.isDead);
  const owners = new Set(
    living.map(({ pid, startedAt }) => ownerNumber({ pid, startedAt, bootId })),
  );
  return marked.filter((entry) => !owners.has(ownerOfMark(markOf(entry) ?? 0n)));
}
