import type { Machine } from "../../app/machine/machine.ts";
import type { RunListing } from "../../app/runs/run-heads.ts";
import { type ListedRun, readRunList as readCatalogue } from "../../app/runs/run-index.ts";
import type { Invocation } from "../command/command.ts";
import { reportWarning } from "../command/report-error.ts";

/** All runs of the project, newest first; one that cannot be read is told on standard error and left out. */
export function listRuns(
  machine: Machine,
  { io, settings }: Pick<Invocation, "io" | "settings">,
  wantsRoster?: (run: RunListing) => boolean,
): readonly ListedRun[] {
  const { runs, problems } = readCatalogue(machine, wantsRoster);
  for (const problem of problems) reportWarning(problem, io, settings);
  return runs;
}
