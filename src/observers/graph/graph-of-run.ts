import type { JournalEvent } from "../../contracts/event.ts";
import type { GraphNode, GraphNodeStatus, WorkflowGraph } from "../../contracts/graph.ts";
import type { RunState } from "../../fold/run-state.ts";
import { waitingItems } from "../../fold/waiting.ts";
import { isRecord } from "../../foundation/json.ts";

/** The graph of a workflow with what a run has come to so far. */
export function withRunState(
  graph: WorkflowGraph,
  state: RunState,
  events: readonly JournalEvent[],
): WorkflowGraph {
  const waiting = new Set(waitingItems(state).map(({ step }) => step));
  const opened = openedBarriers(events);
  const statusOf = (node: GraphNode): Partial<GraphNode> => {
    if (node.kind === "agent") return {};
    if (node.kind === "barrier") return { status: opened.has(node.id) ? "completed" : "pending" };
    const step = state.steps.byPath.get(node.id);
    if (step === undefined) return { status: "pending" };
    const status: GraphNodeStatus = waiting.has(node.id) ? "waiting" : step.status;
    return { status, ...(step.attempt === 0 ? {} : { attempt: step.attempt }) };
  };
  return { ...graph, nodes: graph.nodes.map((node) => ({ ...node, ...statusOf(node) })) };
}

function openedBarriers(events: readonly JournalEvent[]): ReadonlySet<string> {
  const opened = new Set<string>();
  for (const event of events) {
    if (event.type !== "pattern-advanced" || event.kind !== "barrier") continue;
    const barrier = isRecord(event.data) ? event.data["barrier"] : undefined;
    if (typeof barrier === "string") opened.add(barrier);
  }
  return opened;
}
