import type { Machine } from "../../app/machine/machine.ts";
import { agentAddress } from "../../app/runs/agent-address.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import { type ListedRun, readRunList } from "../../app/runs/run-index.ts";

/** What is to be stopped: an agent, or a whole run. */
export interface StopTarget {
  readonly run: string;
  readonly agent?: string;
  /** For people. */
  readonly name: string;
}

/** This user's runs that are not over, with their agents; of the project, newest first. */
function liveRuns(machine: Machine): readonly ListedRun[] {
  return readRunList(machine, ({ outcome }) => outcome === null).runs.filter(
    ({ outcome, foreign }) => outcome === null && foreign === null,
  );
}

/**
 * What a target names: `agent`, `agent@instance`, a run, or all runs of `@instance`. Raises RUN_NOT_FOUND,
 * RUN_AMBIGUOUS.
 */
export function findStopTargets(machine: Machine, given: string): readonly StopTarget[] {
  const instance = given.startsWith("@") ? given.slice(1) : undefined;
  const ofInstance = liveRuns(machine).filter((run) => run.instance === instance);
  if (ofInstance.length > 0) return ofInstance.map(toTarget);
  const { run, agent } = resolveTarget(machine, given);
  return [{ run, name: given, ...(agent === undefined ? {} : { agent }) }];
}

/** All runs of the project that are not over. */
export function allStopTargets(machine: Machine): readonly StopTarget[] {
  return liveRuns(machine).map(toTarget);
}

/** Everything that `stop` takes here: agents, instances. */
export function stopChoices(machine: Machine): readonly string[] {
  const runs = liveRuns(machine);
  const agents = runs.flatMap(({ roster, instance }) =>
    (roster?.agents ?? [])
      .filter(({ status }) => status !== "exited")
      .map(({ name }) => {
        const isStandalone = roster?.isStandalone === true;
        return agentAddress({ name, instance, isStandalone });
      }),
  );
  return [...new Set([...agents, ...runs.map(({ instance }) => `@${instance}`)])];
}

function toTarget({ run, workflow, instance }: ListedRun): StopTarget {
  return { run, name: `${workflow}@${instance} (${run})` };
}
