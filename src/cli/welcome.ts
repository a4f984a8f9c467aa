import { createMachineAt } from "../app/machine/machine.ts";
import { TROUPE } from "./command/called-as.ts";
import { EXIT } from "./command/exit-codes.ts";
import { listRuns } from "./runs/list-runs.ts";
import { waitingRunLines } from "./runs/waiting-runs.ts";
import type { Io } from "./terminal/io.ts";
import { readSettings } from "./terminal/settings.ts";
import { alignColumns } from "./terminal/table.ts";
import { writeLines } from "./terminal/write-lines.ts";

const FIRST_COMMANDS = [
  [`${TROUPE} demo`, "watch a real run; no key, no network"],
  [`${TROUPE} init`, "write a first workflow that runs here"],
  [`${TROUPE} run FILE "task"`, "run a workflow, or a template by its name"],
  [`${TROUPE} runs`, "what ran and what is running"],
  [`${TROUPE} help`, "all commands"],
] as const;

/** `troupe` alone on a terminal: how to begin, and what waits for somebody here. Starts nothing. */
export async function welcome(io: Io): Promise<number> {
  const settings = readSettings({}, io);
  const runs = listRuns(createMachineAt({ cwd: io.cwd, env: io.env }), { io, settings });
  const lines = [
    "Runs teams of AI agents: journaled, resumable, observable",
    "",
    ...alignColumns(FIRST_COMMANDS).map((line) => `  ${line}`),
    ...waitingRunLines(runs, settings),
  ];
  await writeLines({ io, settings }, lines);
  return EXIT.completed;
}
