import { existsSync } from "node:fs";
import type { Machine } from "../machine/machine.ts";
import { controlSocketPath } from "../machine/place/project.ts";
import { directoryBusy } from "../runs/errors.ts";
import { readListing } from "../runs/run-heads.ts";

/**
 * A run of this project that a process carries out in the directory where agents would start now; as the
 * error RUN_DIRECTORY_BUSY, to be thrown or told.
 */
export function findBusyDirectory(machine: Machine): ReturnType<typeof directoryBusy> | undefined {
  const { cwd, runsDirectory } = machine.project;
  // What is no directory of runs is told when the run is created.
  if (!existsSync(`${runsDirectory}/.`)) return undefined;
  const hasOwnersElsewhere = machine.beats.hasOthers(runsDirectory, machine.identity);
  for (const run of machine.store.list()) {
    // A run without a socket has no owner here: thousands of ended runs need not be opened.
    const hasSocket = existsSync(controlSocketPath(machine.project, run, machine.env));
    if (!hasSocket && !hasOwnersElsewhere) continue;
    const listing = readListing(machine.store, run, machine.isGone);
    if (listing?.owner !== undefined && listing.cwd === cwd) return directoryBusy({ run, cwd });
  }
  return undefined;
}
