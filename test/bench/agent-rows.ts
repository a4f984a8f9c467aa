import { type ClientName, pinnedClients } from "../clients/pinned-clients.ts";
import { findClient } from "./agent-bench.ts";
import type { Row } from "./row.ts";

/** The rows of agents, and in words what this machine cannot measure. */
export interface AgentRows {
  readonly rows: readonly Row[];
  readonly notMeasured: readonly string[];
}

// A turn of a client takes seconds.
const MOST_ROUNDS = 3;
const MANY_AGENTS = 20;
const MEASURED = {
  first: "start to first word",
  end: "start to end of a turn",
  memory: "most memory in a turn",
} as const;

/** For every installed client one turn beside its own one-shot mode, and what many agents cost Troupe itself. */
export function createAgentRows(platform: string = process.platform): AgentRows {
  const installed = pinnedClients.filter(({ name }) => findClient(name) !== undefined);
  const missing = pinnedClients.filter((client) => !installed.includes(client));
  const isMeasurable = platform === "linux";
  const rows = installed.flatMap(({ name }) => [
    turnRow(name, "first"),
    turnRow(name, "end"),
    ...(isMeasurable ? [turnRow(name, "memory")] : []),
  ]);
  return {
    rows: [...rows, ...(isMeasurable ? [ownerRow(1), ownerRow(MANY_AGENTS)] : [])],
    notMeasured: [
      ...missing.map(({ name }) => `${name}: not installed; npm run test:clients brings it`),
      ...(isMeasurable ? [] : [`memory of agents: ${platform} does not tell what processes share`]),
    ],
  };
}

function turnRow(client: ClientName, figure: "first" | "end" | "memory"): Row {
  const args = [client, figure];
  return {
    id: "AGT-1",
    name: `${client}, ${MEASURED[figure]}`,
    unit: figure === "memory" ? "MB" : "ms",
    goal: { kind: "times-raw", factor: 1.5 },
    maxRounds: MOST_ROUNDS,
    contenders: [
      { name: "raw", program: "agents/bare.ts", args },
      { name: "troupe", program: "agents/turn.ts", args },
    ],
  };
}

function ownerRow(agents: number): Row {
  return {
    id: "AGT-1",
    name: `troupe run, memory with ${agents} at work`,
    unit: "MB",
    goal: { kind: "at-most", value: 80 },
    maxRounds: MOST_ROUNDS,
    contenders: [{ name: "troupe", program: "agents/owner-memory.ts", args: [`${agents}`] }],
  };
}
