import { inFamilies } from "../../app/runs/families/run-families.ts";
import type { RunListing } from "../../app/runs/run-heads.ts";
import { TROUPE } from "../command/called-as.ts";
import { fitTable } from "../terminal/fit-table.ts";
import type { Settings } from "../terminal/settings.ts";
import { answerCommands } from "../view/parts/answer-commands.ts";

/** The runs that wait for a person, with the command to go on; nothing when none does. */
export function waitingRunLines(
  runs: readonly RunListing[],
  settings: Pick<Settings, "glyphs" | "paint" | "maxColumns">,
): readonly string[] {
  const rows = inFamilies(runs)
    .filter(({ needs, depth }) => needs > 0 && depth === 0)
    .map((run) => [
      `  ${settings.glyphs.attention} ${run.run}`,
      `${run.workflow}@${run.instance}`,
      nextCommand(run),
    ]);
  return rows.length === 0
    ? []
    : ["", "Needs you:", ...fitTable(rows, { settings, cuts: [1], below: 2 })];
}

/** The command for the only thing that waits, else the one that lists them. */
function nextCommand({ run, needs, waitingFor: [item] }: RunListing): string {
  if (needs > 1 || item === undefined) return `${TROUPE} inbox`;
  return answerCommands(item, run)[0] ?? `${TROUPE} inbox`;
}
