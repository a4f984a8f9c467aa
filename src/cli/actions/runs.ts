import { z } from "zod";
import { RUN_STATUSES } from "../../contracts/run.ts";
import { didYouMean } from "../../foundation/near-names.ts";
import type { Action } from "../command.ts";
import { usageInvalid } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { openMachine } from "../open-machine.ts";
import { listRuns } from "../runs/list-runs.ts";
import { toRunEntry } from "../runs/run-entry.ts";
import { runsLines } from "../runs/runs-table.ts";

const STATES: readonly string[] = RUN_STATUSES;

const runsOptions = z.object({
  status: z.array(z.string()).exactOptional(),
  json: z.boolean().default(false),
});

/** `troupe runs` */
export const runsAction: Action = async (invocation) => {
  const { status, json: isJson } = runsOptions.parse(invocation.options);
  const wanted = status?.flatMap((text) => text.split(","));
  for (const state of wanted ?? []) assertState(state);
  const machine = await openMachine(invocation);
  const runs = listRuns(machine, invocation).filter(
    ({ state }) => wanted === undefined || wanted.includes(state),
  );
  const lines = isJson
    ? [JSON.stringify({ v: 1, runs: runs.map(toRunEntry) })]
    : runsLines(runs, { nowMs: machine.clock.now(), settings: invocation.settings });
  invocation.io.stdout.write(`${lines.join("\n")}\n`);
  return EXIT.completed;
};

function assertState(state: string): void {
  if (STATES.includes(state)) return;
  const hint = didYouMean(state, STATES, "states") ?? "";
  throw usageInvalid({ problem: `no run is ever "${state}"`, hint });
}
