import type { Machine } from "../../app/machine.ts";
import { type RunListing, readListing } from "../../app/run-heads.ts";
import { TroupeError } from "../../foundation/errors.ts";
import type { Invocation } from "../command.ts";
import { reportWarning } from "../report-error.ts";

/** All runs of the project, newest first; one that cannot be read is told on standard error and left out. */
export function listRuns(
  machine: Machine,
  { io, settings }: Pick<Invocation, "io" | "settings">,
): readonly RunListing[] {
  return machine.store.list().flatMap((run) => {
    try {
      return readListing(machine.store, run, machine.isGone) ?? [];
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error;
      reportWarning(error, io, settings);
      return [];
    }
  });
}
