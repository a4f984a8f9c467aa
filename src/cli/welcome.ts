import { createMachine } from "../app/machine.ts";
import type { RunListing } from "../app/run-heads.ts";
import { EXIT } from "./exit-codes.ts";
import type { Io } from "./io.ts";
import { listRuns } from "./runs/list-runs.ts";
import { readSettings, type Settings } from "./settings.ts";
import { alignColumns } from "./table.ts";
import { answerCommands } from "./view/answer-commands.ts";

const FIRST_COMMANDS = [
  ["troupe demo", "watch a real run; no key, no network"],
  ["troupe init", "write a first workflow that runs here"],
  ['troupe run FILE "task"', "run a workflow, or a template by its name"],
  ["troupe runs", "what ran and what is running"],
  ["troupe help", "all commands"],
] as const;

/** `troupe` alone on a terminal: how to begin, and what waits for somebody here. Starts nothing. */
export async function welcome(io: Io): Promise<number> {
  const settings = readSettings({}, io);
  const waiting = listRuns(createMachine({ cwd: io.cwd, env: io.env }), { io, settings }).filter(
    ({ needs }) => needs > 0,
  );
  const lines = [
    "Runs teams of AI agents: journaled, resumable, observable",
    "",
    ...alignColumns(FIRST_COMMANDS).map((line) => `  ${line}`),
    ...(waiting.length === 0 ? [] : ["", ...waitingLines(waiting, settings)]),
  ];
  io.stdout.write(`${lines.join("\n")}\n`);
  return EXIT.completed;
}

function waitingLines(waiting: readonly RunListing[], { glyphs }: Settings): readonly string[] {
  const rows = waiting.map((run) => [
    `${glyphs.attention} ${run.run}`,
    `${run.workflow}@${run.instance}`,
    nextCommand(run),
  ]);
  return ["Needs you:", ...alignColumns(rows).map((line) => `  ${line}`)];
}

/** The command for the only thing that waits, else the one that lists them. */
function nextCommand({ run, needs, waitingFor: [item] }: RunListing): string {
  if (needs > 1 || item === undefined) return "troupe inbox";
  return answerCommands(item, run)[0] ?? "troupe inbox";
}
