import { z } from "zod";
import type { Action } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { openMachine } from "../open-machine.ts";
import { agentsLines, toAgentEntries } from "../runs/agents-table.ts";
import { listRuns } from "../runs/list-runs.ts";

const listOptions = z.object({ all: z.boolean().default(false), json: z.boolean().default(false) });

/** `troupe list`: the agents of live runs, or of all. */
export const listAction: Action = async (invocation) => {
  const { all: isAll, json: isJson } = listOptions.parse(invocation.options);
  const machine = await openMachine(invocation);
  const runs = listRuns(machine, invocation, ({ outcome }) => isAll || outcome === null);
  const shown = runs.filter(({ roster }) => roster !== undefined);
  const lines = isJson
    ? [JSON.stringify({ v: 1, agents: shown.flatMap(toAgentEntries) })]
    : agentsLines(shown, isAll);
  invocation.io.stdout.write(`${lines.join("\n")}\n`);
  return EXIT.completed;
};
