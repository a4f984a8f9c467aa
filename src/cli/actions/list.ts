import { knownMachines } from "../../app/machine/known-machines.ts";
import type { Machine } from "../../app/machine/machine.ts";
import type { ActionOf, Invocation } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import { readLimit } from "../command/read-count.ts";
import { reportWarning } from "../command/report-error.ts";
import type { listCommand } from "../commands/list.ts";
import { agentNames, agentsLines, type ProjectRuns, toAgentEntries } from "../runs/agents-table.ts";
import { listRuns } from "../runs/list-runs.ts";
import { writeLines } from "../terminal/write-lines.ts";

/** `troupe list`: the agents of live runs, or of all. */
export const listAction: ActionOf<typeof listCommand> = async (invocation) => {
  const { all: isAll, allProjects, json: isJson } = invocation.options;
  const { io, settings } = invocation;
  const machine = await openMachine(invocation);
  const projects = allProjects
    ? listProjects(machine, isAll, invocation)
    : [{ runs: runsWithAgents(machine, isAll, invocation) }];
  const nowMs = machine.clock.now();
  const limit = readLimit(invocation.options.limit);
  const few = projects.map((each) => ({ ...each, runs: each.runs.slice(0, limit) }));
  if (isJson) io.stdout.write(`${JSON.stringify({ v: 1, agents: few.flatMap(toAgentEntries) })}\n`);
  else if (settings.isQuiet)
    io.stdout.write(
      few
        .flatMap(agentNames)
        .map((name) => `${name}\n`)
        .join(""),
    );
  else await writeLines(invocation, agentsLines(projects, { isAll, settings, nowMs, limit }));
  return EXIT.completed;
};

function listProjects(
  machine: Machine,
  isAll: boolean,
  invocation: Invocation,
): readonly ProjectRuns[] {
  const { machines, problems } = knownMachines(machine);
  for (const problem of problems) reportWarning(problem, invocation.io, invocation.settings);
  return machines.map((one) => ({
    project: one.project.root,
    runs: runsWithAgents(one, isAll, invocation),
  }));
}

function runsWithAgents(
  machine: Machine,
  isAll: boolean,
  invocation: Invocation,
): ProjectRuns["runs"] {
  const runs = listRuns(machine, invocation, ({ outcome }) => isAll || outcome === null);
  return runs.filter(({ outcome }) => isAll || outcome === null);
}
