import { endProcesses } from "./end-processes.ts";
import type { ProcessEntry, ProcessListing, ProcessTable } from "./process-entry.ts";
import { withDescendants } from "./process-family.ts";
import { fromOwnerMark, isAlive } from "./process-identity.ts";
import { createProcessTable } from "./process-table.ts";

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
  const bootId = table.bootId();
  const listing = await table.list();
  const found = listing.entries.filter((entry) => isOrphan(entry, table, bootId));
  return withDescendants(listing, found).map(toLeftover);
}

/**
 * Ends what processes of Troupe started that are gone themselves, reapers included. Touches only
 * processes of this user whose TROUPE_OWNER names a process of this boot that does not run any more.
 * Raises HOST_PROCESS_SURVIVED.
 */
export async function endLeftovers(options: LeftoverOptions = {}): Promise<readonly Leftover[]> {
  const { table = createProcessTable(), graceMs = 1000 } = options;
  const bootId = table.bootId();
  const find = (listing: ProcessListing) => {
    const isLeftover = (entry: ProcessEntry) => isOrphan(entry, table, bootId);
    return withDescendants(listing, listing.entries.filter(isLeftover));
  };
  const ended = await endProcesses({ table, find, graceMs });
  return ended.map(toLeftover);
}

function toLeftover(entry: ProcessEntry): Leftover {
  const { pid, startedAt } = entry;
  return { pid, startedAt, run: entry.variable("TROUPE_RUN") };
}

function isOrphan(entry: ProcessEntry, table: ProcessTable, bootId: string): boolean {
  if (entry.isDead || entry.pid === process.pid) return false;
  const mark = entry.variable("TROUPE_OWNER");
  const owner = mark === undefined ? undefined : fromOwnerMark(mark);
  // What lives now is of this boot: another boot id is that of a container, whose pids we cannot judge.
  if (owner === undefined || owner.bootId !== bootId) return false;
  return !isAlive(table, owner) && entry.isOwn();
}
