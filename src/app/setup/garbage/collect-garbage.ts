import { TroupeError } from "../../../foundation/errors.ts";
import type { Machine } from "../../machine/machine.ts";
import { readRunList } from "../../runs/run-index.ts";
import { type DoomedRun, findDoomedRuns, type GarbagePolicy, removeRun } from "./doomed-runs.ts";
import { findLeftoverFiles, type LeftoverFile, removeLeftoverFile } from "./leftover-files.ts";

/** What can go. */
export interface Garbage {
  readonly runs: readonly DoomedRun[];
  readonly leftovers: readonly LeftoverFile[];
  /** Why other runs could not be looked at; they stay. */
  readonly problems: readonly TroupeError[];
}

/** Looks for garbage; removes nothing. Raises RUN_NOT_FOUND, RUN_AMBIGUOUS, RUN_NOT_ENDED, RUN_OWNED for named runs. */
export async function findGarbage(machine: Machine, policy: GarbagePolicy): Promise<Garbage> {
  const { runs, problems } = findDoomedRuns(machine, policy);
  return { runs, problems, leftovers: await findLeftoverFiles(machine) };
}

/**
 * Removes garbage and says what is gone. Each run disappears from the listing before its files do, so that
 * whatever interrupts this leaves whole runs and leftovers. A run that cannot be removed does not keep the others.
 */
export async function removeGarbage(
  machine: Machine,
  garbage: Garbage,
  { isForced }: Pick<GarbagePolicy, "isForced">,
): Promise<Garbage> {
  const problems: TroupeError[] = [];
  const runs: DoomedRun[] = [];
  for (const run of garbage.runs)
    try {
      if ((await removeRun(machine, run, isForced)) === "removed") runs.push(run);
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error;
      problems.push(error);
    }
  for (const leftover of garbage.leftovers) removeLeftoverFile(leftover);
  // The index forgets them.
  readRunList(machine);
  return { runs, leftovers: garbage.leftovers, problems };
}

/** Bytes on disk that garbage takes. */
export function garbageBytes({ runs, leftovers }: Garbage): number {
  return [...runs, ...leftovers].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
