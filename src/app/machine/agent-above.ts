import { type AgentAbove, findAgentAbove } from "../../host/agent-above.ts";
import { createProcessTable } from "../../host/process-table.ts";
import type { Machine } from "./machine.ts";

/** Whoever calls: what its process stands below, or undefined for a person. */
export type Caller = AgentAbove | undefined;

/** Who calls in this process, as the system tells it. */
export function lookAbove(): Caller {
  return findAgentAbove(createProcessTable());
}

/** What the first event of a new run says of whoever starts it; nothing of runs that leave no files. */
export function startedBelow({ keepsFiles, table }: Machine): { readonly startedBelow?: string } {
  const above = keepsFiles ? findAgentAbove(table) : undefined;
  return above === undefined ? {} : { startedBelow: above.family };
}
