import type { GraphNode, GraphNodeStatus, WorkflowGraph } from "../../../contracts/graph.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import type { StepState } from "../../../fold/state/step-state.ts";
import { waitingItems } from "../../../fold/waiting.ts";

/** One place of the run's drawing and tables: in the workflow's graph, or seen in the journal only. */
export interface OutlineStep {
  /** The path of a step; the id of a node for everything else. */
  readonly path: string;
  /** The step's id as it was written, or the label of a node that is no step. */
  readonly name: string;
  readonly kind: GraphNode["kind"];
  readonly agent: string | undefined;
  readonly condition: string | undefined;
  /** What it waits for, without those who only help out or watch. */
  readonly after: readonly string[];
}

/** All places of a run: those of its graph, then what the journal names beyond it. `end` is the last state. */
export function outlineOf({ nodes, edges }: WorkflowGraph, end: RunState): readonly OutlineStep[] {
  const before = Map.groupBy(edges, ({ to }) => to);
  const planned = nodes.map(({ id, kind, label, agent, condition }): OutlineStep => {
    const after = (before.get(id) ?? []).flatMap(({ from, kind: why }) =>
      why === "fallback" || why === "escalation" || why === "shadow" ? [] : [from],
    );
    return { path: id, name: label, kind, agent, condition, after: [...new Set(after)] };
  });
  const known = new Set(nodes.map(({ id }) => id));
  const repeated = new Set<string>();
  const seen = [...end.steps.byPath.values()].flatMap(({ path, step, agent }): OutlineStep[] => {
    if (known.has(path)) return [];
    repeated.add(path.replaceAll(/\[\d+\]/g, ""));
    const around = path.slice(0, Math.max(0, path.lastIndexOf("/"))).replace(/\[\d+\]$/, "");
    const after = known.has(around) || end.steps.byPath.has(around) ? [around] : [];
    return [{ path, name: step, kind: "step", agent, condition: undefined, after }];
  });
  // What is carried out for each item or round is shown as often as it was, and not once more as it is written.
  return [...planned.filter(({ path }) => !repeated.has(path)), ...seen];
}

/** A place of the outline at one moment. */
export interface OutlineView extends OutlineStep {
  readonly look: GraphNodeStatus;
  readonly state: StepState | undefined;
}

/** The outline as it looks in a state; `opened` holds the barriers that are open by then. */
export function viewOutline(
  outline: readonly OutlineStep[],
  run: RunState,
  opened: ReadonlySet<string>,
): readonly OutlineView[] {
  const waiting = new Set(waitingItems(run).map(({ step }) => step));
  return outline.map((step): OutlineView => {
    const state = run.steps.byPath.get(step.path);
    if (step.kind === "barrier")
      return { ...step, state, look: opened.has(step.path) ? "completed" : "pending" };
    if (step.kind === "agent") return { ...step, state, look: lookOfHelper(step, run) };
    const isAsking = waiting.has(step.name) && state?.status !== "completed";
    return { ...step, state, look: isAsking ? "waiting" : (state?.status ?? "pending") };
  });
}

/** An agent that only helps out is there to be called; all that is to be seen of it is whether it works. */
function lookOfHelper({ path }: OutlineStep, { agents }: RunState): GraphNodeStatus {
  const agent = agents.get(path.replace(/^agent:/, ""));
  return agent?.status === "working" ? "running" : "pending";
}
