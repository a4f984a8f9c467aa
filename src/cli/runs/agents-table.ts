import type { ListedRun } from "../../app/run-index.ts";
import type { AgentStatus } from "../../contracts/agent.ts";
import type { RunStatus } from "../../contracts/run.ts";
import { alignColumns } from "../table.ts";
import { needsLines } from "./runs-table.ts";

/** An agent as `list --json` prints it. */
export interface AgentEntry {
  readonly name: string;
  readonly run: string;
  readonly instance: string;
  /** The workflow file as it was named; null for a run without one. */
  readonly source: string | null;
  readonly backend: string;
  /** As the journal has it; of a run that nobody carries out, what it was last. */
  readonly status: AgentStatus;
  /** Of the run. */
  readonly state: RunStatus;
}

const HEADER = ["AGENT", "RUN", "SOURCE", "BACKEND", "STATUS"];

// What the last event says of an agent says nothing any more when nobody carries its run out.
const RESTING: ReadonlySet<RunStatus> = new Set(["paused", "suspended"]);

/** The public form of a run's agents. */
export function toAgentEntries({ run, instance, state, roster }: ListedRun): readonly AgentEntry[] {
  const { source = null, agents = [] } = roster ?? {};
  return agents.map(({ name, backend, status }) => ({
    name,
    run,
    instance,
    source,
    backend,
    status,
    state,
  }));
}

/** Agents for people: a table, and below it what needs them. */
export function agentsLines(runs: readonly ListedRun[], isAll: boolean): readonly string[] {
  const rows = runs.flatMap((run) =>
    toAgentEntries(run).map(({ name, source, backend, status }) => [
      run.instance === "default" ? name : `${name}@${run.instance}`,
      run.run,
      source ?? `(${run.workflow})`,
      backend,
      RESTING.has(run.state) && status !== "exited" ? `${status} (run is ${run.state})` : status,
    ]),
  );
  if (rows.length === 0)
    return [isAll ? "no agents yet: troupe demo shows some" : "no agent is alive: troupe list -a"];
  return [...alignColumns([HEADER, ...rows]), ...needsLines(runs)];
}
