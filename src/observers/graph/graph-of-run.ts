import type { JournalEvent } from "../../contracts/events/event.ts";
import type { GraphNode, GraphNodeStatus, WorkflowGraph } from "../../contracts/graph.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import type { StepState } from "../../fold/state/step-state.ts";
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
  const places = Map.groupBy(state.steps.byPath.values(), ({ path }) => withoutNumbers(path));
  const statusOf = (node: GraphNode): Partial<GraphNode> => {
    if (node.kind === "agent") return {};
    if (node.kind === "barrier") return { status: opened.has(node.id) ? "completed" : "pending" };
    const step = tellingOf(places.get(node.id) ?? []);
    if (step === undefined) return { status: "pending" };
    const status: GraphNodeStatus = waiting.has(step.step) ? "waiting" : step.status;
    const executions = (places.get(node.id) ?? []).reduce((sum, each) => sum + each.execution, 0);
    return {
      status,
      ...(step.attempt === 0 ? {} : { attempt: step.attempt }),
      ...(executions < 2 ? {} : { executions }),
    };
  };
  return { ...graph, nodes: graph.nodes.map((node) => ({ ...node, ...statusOf(node) })) };
}

/** The place of a step in its file: `all-files[3]/check` is one of many of `all-files/check`. */
function withoutNumbers(path: string): string {
  return path.replaceAll(/\[\d+\]/g, "");
}

/**
 * Of the executions of a step that is carried out for many items or rounds, the one that tells most: open, else that of an
 * item that failed, else latest. A later round of a loop speaks for those before it.
 */
function tellingOf(steps: readonly StepState[]): StepState | undefined {
  const open = steps.find(({ status }) => status === "running" || status === "retrying");
  const failed = steps.find(({ status, label }) => status === "failed" && label !== undefined);
  return (
    open ??
    failed ??
    steps.reduce<StepState | undefined>(
      (found, step) => (found === undefined || step.seq > found.seq ? step : found),
      undefined,
    )
  );
}

function openedBarriers(events: readonly JournalEvent[]): ReadonlySet<string> {
  const opened = new Set<string>();
  for (const event of events) {
    if (event.type !== "pattern-advanced") continue;
    if (event.kind !== "barrier") opened.add(event.kind);
    const barrier = isRecord(event.data) ? event.data["barrier"] : undefined;
    if (typeof barrier === "string") opened.add(barrier);
  }
  return opened;
}
