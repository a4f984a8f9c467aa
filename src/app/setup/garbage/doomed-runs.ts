import { join } from "node:path";
import type { RunStatus } from "../../../contracts/run.ts";
import { type TroupeError, toErrorReport } from "../../../foundation/errors.ts";
import { journalOwned } from "../../../journal/errors.ts";
import type { Machine } from "../../machine/machine.ts";
import { runHasParent, runNotEnded } from "../../runs/errors.ts";
import { inFamilies, rootOf, runsBelow } from "../../runs/families/run-families.ts";
import { type RunListing, readHead, readListing } from "../../runs/run-heads.ts";
import { readRunList } from "../../runs/run-index.ts";
import { resolveRun } from "../../runs/run-lookup.ts";
import { closeTrajectory } from "../../trail/keep-trajectory.ts";
import { removeWorktrees } from "./held-work.ts";
import { sizeOf } from "./size-of.ts";

/** Which runs are garbage. */
export interface GarbagePolicy {
  /** Runs that ended longer ago than this, in ms. */
  readonly olderThanMs?: number;
  /** All but this many of the newest that are over. */
  readonly keep?: number;
  /** Only these, by id or its beginning; then the other two say nothing. */
  readonly named: readonly string[];
  /** Named runs also when they are not over. */
  readonly isForced: boolean;
}

/** A run that is to be removed. */
export interface DoomedRun {
  readonly run: string;
  /** Null when it cannot be read. */
  readonly workflow: string | null;
  readonly state: RunStatus | "damaged";
  readonly endedAt: string | null;
  readonly sizeBytes: number;
}

/** What a policy comes to. */
export interface DoomedRuns {
  readonly runs: readonly DoomedRun[];
  /** Why other runs could not be looked at; they stay. */
  readonly problems: readonly TroupeError[];
}

/** Chooses runs; removes nothing. Raises RUN_NOT_FOUND, RUN_AMBIGUOUS, RUN_NOT_ENDED, RUN_OWNED for named ones. */
export function findDoomedRuns(machine: Machine, policy: GarbagePolicy): DoomedRuns {
  if (policy.named.length > 0) {
    const named = policy.named.map((given) => resolveRun(machine.store, given));
    for (const run of named) assertAlone(machine, run);
    const ids = new Set(named.flatMap((run) => [run, ...runsBelow(machine.store, run)]));
    const runs = [...ids].map((run) => toDoomed(machine, run, examine(machine, run, policy)));
    return { runs, problems: [] };
  }
  const { runs, problems } = readRunList(machine);
  const families = Map.groupBy(inFamilies(runs), ({ root }) => root);
  // A family goes as a whole.
  const whole = [...families.values()].filter((family) => family.every(isOver));
  const ended = whole
    .flatMap(([root]) => (root === undefined ? [] : [root]))
    .sort((left, right) => (endOf(left) < endOf(right) ? 1 : -1));
  const oldestMs = machine.clock.now() - (policy.olderThanMs ?? 0);
  const doomed = ended
    .slice(policy.keep ?? 0)
    .filter((run) => policy.olderThanMs === undefined || Date.parse(endOf(run)) < oldestMs);
  const gone = doomed.flatMap(({ run }) => families.get(run) ?? []);
  return { runs: gone.map((run) => toDoomed(machine, run.run, run)), problems };
}

/**
 * Removes a run unless it has come to life since it was chosen. A trajectory of it that is due is written first, and
 * while that is impossible the run stays, as does one whose worktree holds work. Raises RUN_HOLDS_WORK, RUN_OWNED, TRAIL_UNWRITABLE, TRAIL_DIRECTORY_OUTSIDE, CONFIG_INVALID,
 * WORKFLOW_DEFINITION_INVALID and STORE_* errors.
 */
export async function removeRun(
  machine: Machine,
  { run, state }: DoomedRun,
  isForced: boolean,
): Promise<"removed" | "alive"> {
  if (examineAgain(machine, run) !== state) return "alive";
  if (state !== "damaged") await closeTrajectory(machine, run);
  // Whoever has gone on with it meanwhile writes the trajectory anew.
  if (examineAgain(machine, run) !== state) return "alive";
  await removeWorktrees(machine, run, isForced);
  machine.store.remove(run);
  return "removed";
}

/** A child is a part of the run that wanted it. Raises RUN_HAS_PARENT while that one is there. */
function assertAlone({ store }: Machine, run: string): void {
  const parent = readHead(store, run)?.parent ?? null;
  if (parent === null || readHead(store, parent) === undefined) return;
  throw runHasParent({ run, parent, root: rootOf(store, run), command: "gc" });
}

function examine(
  machine: Machine,
  run: string,
  { isForced }: GarbagePolicy,
): RunListing | undefined {
  const listing = readUndamaged(machine, run);
  if (listing?.owner !== undefined) {
    const { pid, command } = listing.owner;
    throw journalOwned({ run, pid, command, where: machine.whereIs(listing.owner) });
  }
  const isGarbage = listing !== undefined && isOver(listing);
  if (!isGarbage && !isForced) throw runNotEnded({ run, state: listing?.state ?? "damaged" });
  return listing;
}

function examineAgain(machine: Machine, run: string): DoomedRun["state"] {
  return readUndamaged(machine, run)?.state ?? "damaged";
}

/** Undefined for a journal that is damaged, or that holds no event. */
function readUndamaged(machine: Machine, run: string): RunListing | undefined {
  try {
    return readListing(machine.store, run, machine.isGone);
  } catch (error) {
    if (toErrorReport(error).code === "STORE_CORRUPT") return undefined;
    throw error;
  }
}

function isOver({ outcome, owner }: RunListing): boolean {
  return outcome !== null && owner === undefined;
}

function endOf({ endedAt, lastAt }: RunListing): string {
  return endedAt ?? lastAt;
}

function toDoomed(machine: Machine, run: string, listing: RunListing | undefined): DoomedRun {
  return {
    run,
    workflow: listing?.workflow ?? null,
    state: listing?.state ?? "damaged",
    endedAt: listing?.endedAt ?? null,
    sizeBytes: sizeOf(join(machine.project.runsDirectory, run)),
  };
}
