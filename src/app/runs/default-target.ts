import { newestFirst } from "../../fold/message-reading.ts";
import { agentKey } from "../../fold/state/agent-lookup.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import type { Machine } from "../machine/machine.ts";
import { agentAddress } from "./agent-address.ts";
import { targetMissing } from "./errors.ts";
import type { Target } from "./resolve-target.ts";
import { type ListedRun, readRunList } from "./run-index.ts";
import { readState } from "./run-lookup.ts";

interface LiveAgent {
  readonly run: string;
  readonly agent: string;
  readonly address: string;
}

/**
 * The agent that is meant when none is named (KCK-8): the only one alive, not counting those that others have spawned, else the one that `troupe new` made or
 * a person wrote to last. All of it is in the journals. Raises RUN_TARGET_MISSING.
 */
export function defaultTarget(machine: Machine): Required<Target> {
  const { runs: all } = readRunList(machine, ({ outcome }) => outcome === null);
  const runs = all.filter(({ foreign }) => foreign === null);
  const agents = runs.filter(({ outcome }) => outcome === null).flatMap(liveAgentsOf);
  const [only, ...others] = agents.length > 1 ? ownOf(machine, agents) : agents;
  if (only !== undefined && others.length === 0) return { run: only.run, agent: only.agent };
  const last = lastMeant(machine, agents, runs);
  if (last === undefined) throw targetMissing({ choices: agents.map(({ address }) => address) });
  return { run: last.run, agent: last.agent };
}

function liveAgentsOf({ run, instance, roster }: ListedRun): readonly LiveAgent[] {
  const { agents = [], isStandalone = false } = roster ?? {};
  return agents
    .filter(({ status }) => status !== "exited")
    .map(({ name }) => ({
      run,
      agent: name,
      address: agentAddress({ name, instance, isStandalone }),
    }));
}

/** Those that take part on their own account: whoever writes to a team does not mean a helper that one of it has spawned. */
function ownOf(machine: Machine, agents: readonly LiveAgent[]): readonly LiveAgent[] {
  const states = new Map(
    [...new Set(agents.map(({ run }) => run))].map((run) => [run, readState(machine.store, run)]),
  );
  return agents.filter(
    ({ run, agent }) => states.get(run)?.agents.get(agent)?.spec.spawnedBy === undefined,
  );
}

function lastMeant(
  machine: Machine,
  agents: readonly LiveAgent[],
  runs: readonly ListedRun[],
): LiveAgent | undefined {
  let last: { readonly agent: LiveAgent; readonly atMs: number } | undefined;
  for (const { run, roster } of runs) {
    const members = agents.filter((agent) => agent.run === run);
    if (members.length === 0) continue;
    const state = readState(machine.store, run);
    for (const agent of members) {
      const madeAtMs = roster?.isStandalone ? state.run.createdAt : 0;
      const atMs = Math.max(madeAtMs, addressedAt(state, agent.agent));
      if (atMs > (last?.atMs ?? 0)) last = { agent, atMs };
    }
  }
  return last?.agent;
}

/** When a person wrote to this agent alone for the last time, in ms since the epoch; 0 for never. */
function addressedAt(state: RunState, agent: string): number {
  const isTo = (to: readonly string[] = []) => to.length === 1 && to[0] === agent;
  const received = state.messages.byReader.get(agentKey(agent)) ?? [];
  const posted = newestFirst({ state }, received).find(
    ({ from, to }) => from === "user" && isTo(to),
  );
  const recorded = state.commands.findLast(
    ({ command }) => command.kind === "send" && isTo(command.to),
  );
  return Math.max(posted === undefined ? 0 : Date.parse(posted.timestamp), recorded?.at ?? 0);
}
