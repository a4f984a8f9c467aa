import type { FamilyLimits } from "../contracts/host.ts";
import type { Clock, Timer } from "../foundation/clock.ts";
import { formatSize } from "../foundation/size.ts";
import { familyMembers, type ProcessFamily } from "./process-family.ts";
import { agentResources } from "./system/errors.ts";
import type { ProcessEntry, ProcessTable } from "./system/process-entry.ts";

// Watches what families of processes take of the machine (SEC-7).
// L1: one look at the process table serves all families; with none there is no timer.
// L2: a breach ends the family, and whoever waits for its program gets the error.

/** A family that is watched. */
export interface WatchedFamily {
  readonly family: ProcessFamily;
  /** They hold for all of it together. */
  readonly limits: FamilyLimits;
  /** Ends all of it and lets its end fail with the error. */
  fail(error: Error): void;
}

/** Watches families until they are forgotten. */
export interface FamilyWatch {
  /** The result forgets the family. */
  watch(watched: WatchedFamily): () => void;
}

const LOOK_MS = 1000;

/** Watches nothing yet. */
export function createFamilyWatch(
  table: Pick<ProcessTable, "list">,
  clock: Pick<Clock, "startTimer">,
): FamilyWatch {
  const watched = new Set<WatchedFamily>();
  let timer: Timer | undefined;
  const schedule = () => {
    timer ??= clock.startTimer(LOOK_MS, () => {
      // What fails here is tried again at the next look.
      look()
        .catch(() => {})
        .finally(next);
    });
  };
  const next = () => {
    timer = undefined;
    if (watched.size > 0) schedule();
  };
  const look = async () => {
    const listing = await table.list();
    for (const each of watched) {
      const problem = findBreach(familyMembers(listing, each.family), each.limits);
      if (problem !== undefined) each.fail(problem);
    }
  };
  return {
    watch: (one) => {
      watched.add(one);
      schedule();
      return () => {
        watched.delete(one);
        if (watched.size > 0) return;
        timer?.cancel();
        timer = undefined;
      };
    },
  };
}

function findBreach(
  members: readonly ProcessEntry[],
  { processes, memoryBytes }: FamilyLimits,
): Error | undefined {
  if (members.length > processes)
    return agentResources({
      what: "processes",
      found: String(members.length),
      limit: String(processes),
    });
  // At first what is cheap to read and at most too much; sharing is looked at only when that is over the limit.
  if (sumOf(members, (member) => member.memoryBytes()) <= memoryBytes) return undefined;
  const sizeBytes = sumOf(members, (member) => member.ownMemoryBytes());
  if (sizeBytes <= memoryBytes) return undefined;
  const [found, limit] = [formatSize(sizeBytes), formatSize(memoryBytes)];
  return agentResources({ what: "memory", found, limit });
}

function sumOf(members: readonly ProcessEntry[], sizeOf: (member: ProcessEntry) => number): number {
  let sum = 0;
  for (const member of members) sum += sizeOf(member);
  return sum;
}
