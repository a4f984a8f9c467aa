import type { Machine } from "../../app/machine/machine.ts";
import { neverBegan as runNeverBegan } from "../../app/runs/errors.ts";
import type { RunListing } from "../../app/runs/run-heads.ts";
import { type ListedRun, readRunList as readCatalogue } from "../../app/runs/run-index.ts";
import type { Invocation } from "../command/command.ts";
import { reportWarning } from "../command/report-error.ts";

/** All runs of the project, newest first. Those that cannot be read and those that never began are reported on standard error. */
export function listRuns(
  machine: Machine,
  { io, settings }: Pick<Invocation, "io" | "settings">,
  wantsRoster?: (run: RunListing) => boolean,
): readonly ListedRun[] {
  const { runs, problems, neverBegan } = readCatalogue(machine, wantsRoster);
  for (const problem of problems) reportWarning(problem, io, settings);
  for (const run of neverBegan) reportWarning(runNeverBegan({ run }), io, settings);
  return runs;
}
