import { inFamilies } from "../../app/runs/families/run-families.ts";
import type { RunListing } from "../../app/runs/run-heads.ts";
import { RUN_STATUSES } from "../../contracts/run.ts";
import { didYouMean } from "../../foundation/near-names.ts";
import type { ActionOf, OptionsOf } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import { readLimit } from "../command/read-count.ts";
import type { runsCommand } from "../commands/runs.ts";
import { listRuns } from "../runs/list-runs.ts";
import { toRunEntry } from "../runs/run-entry.ts";
import { runsLines } from "../runs/runs-table.ts";
import { writeLines } from "../terminal/write-lines.ts";

const STATES: readonly string[] = RUN_STATUSES;

type RunsOptions = OptionsOf<typeof runsCommand>;

/** `troupe runs` */
export const runsAction: ActionOf<typeof runsCommand> = async (invocation) => {
  const { options } = invocation;
  const isWanted = toFilter(options);
  const limit = readLimit(options.limit);
  const machine = await openMachine(invocation);
  const wanted = inFamilies(listRuns(machine, invocation)).filter(isWanted);
  const roots = new Set([...new Set(wanted.map(({ root }) => root))].slice(0, limit));
  const runs = wanted.filter(({ root }) => roots.has(root));
  const { settings, io } = invocation;
  const isFiltered = options.status !== undefined || options.workflow !== undefined;
  if (options.json) io.stdout.write(`${JSON.stringify({ v: 1, runs: runs.map(toRunEntry) })}\n`);
  else
    await writeLines(
      invocation,
      runsLines(runs, { nowMs: machine.clock.now(), settings, isFiltered }),
    );
  return EXIT.completed;
};

/** `--workflow` takes a name, or `name@instance` as the table shows it. */
function toFilter({ status, workflow: wanted }: RunsOptions): (run: RunListing) => boolean {
  const states = status?.flatMap((text) => text.split(","));
  for (const state of states ?? []) assertState(state);
  return ({ state, workflow, instance }) =>
    (states?.includes(state) ?? true) &&
    (wanted === undefined || wanted === workflow || wanted === `${workflow}@${instance}`);
}

function assertState(state: string): void {
  if (STATES.includes(state)) return;
  const hint = didYouMean(state, STATES, "states") ?? "";
  throw usageInvalid({ problem: `no run is ever "${state}"`, hint });
}
