import type { Machine } from "../machine/machine.ts";
import { agentAddress } from "../runs/agent-address.ts";
import { agentNameTaken } from "../runs/errors.ts";
import { readRunList } from "../runs/run-index.ts";

/** Raises RUN_AGENT_NAME_TAKEN when a live agent of the project has this name and instance. */
export function assertAgentFree(
  machine: Machine,
  { name, instance }: { readonly name: string; readonly instance: string },
): void {
  const isOfInstance = (run: { readonly instance: string; readonly outcome: string | null }) =>
    run.outcome === null && run.instance === instance;
  const { runs } = readRunList(machine, isOfInstance);
  for (const { run, roster } of runs.filter(
    (each) => isOfInstance(each) && each.foreign === null,
  )) {
    const isTaken = roster?.agents.some(
      (agent) => agent.status !== "exited" && agent.name.toLowerCase() === name.toLowerCase(),
    );
    if (isTaken !== true) continue;
    const isStandalone = roster?.isStandalone === true;
    throw agentNameTaken({ address: agentAddress({ name, instance, isStandalone }), run });
  }
}
