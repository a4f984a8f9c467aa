import type { GraphNode, GraphNodeStatus, WorkflowGraph } from "../../../contracts/graph.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import type { StepState } from "../../../fold/state/step-state.ts";
import { waitingItems } from "../../../fold/waiting.ts";
import type { Link } from "../../../foundation/graph-layers.ts";
import type { Look } from "./look.ts";
import type { AttemptSpan } from "./spans.ts";

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
  readonly look: Look;
  readonly state: StepState | undefined;
}

/** What is known of a moment beside the state. */
export interface OutlineMoment {
  /** The barriers that are open by then. */
  readonly opened: ReadonlySet<string>;
  /** Whether no process carries the run out. */
  readonly isLeft: boolean;
}

/** The outline as it looks in a state. */
export function viewOutline(
  outline: readonly OutlineStep[],
  run: RunState,
  { opened, isLeft }: OutlineMoment,
): readonly OutlineView[] {
  const waiting = new Set(waitingItems(run).map(({ step }) => step));
  return outline.map((step): OutlineView => {
    const state = run.steps.byPath.get(step.path);
    if (step.kind === "barrier")
      return { ...step, state, look: opened.has(step.path) ? "completed" : "pending" };
    if (step.kind === "agent")
      return { ...step, state, look: isLeft ? "pending" : lookOfHelper(step, run) };
    const isAsking = waiting.has(step.name) && state?.status !== "completed";
    return { ...step, state, look: isAsking ? "waiting" : lookOfStep(state, isLeft) };
  });
}

function lookOfStep(state: StepState | undefined, isLeft: boolean): Look {
  const status = state?.status ?? "pending";
  return isLeft && (status === "running" || status === "retrying") ? "suspended" : status;
}

/** An agent that only helps out is there to be called; all that is to be seen of it is whether it works. */
function lookOfHelper({ path }: OutlineStep, { agents }: RunState): GraphNodeStatus {
  const agent = agents.get(path.replace(/^agent:/, ""));
  return agent?.status === "working" ? "running" : "pending";
}

/** A line between what was carried out again and again. */
export interface RoundLink extends Link {
  /** `inside`: from the step around to what began in it; `then`: from what had ended to what began after it. */
  readonly kind: "inside" | "then";
}

// More would make one row that nobody looks through; then they stand in rows, without lines.
const MAX_STEPS = 60;

/**
 * The lines of what the journal names beyond the graph: rounds of loops one after the other, items that were carried out
 * side by side each from the step around them.
 */
export function roundLinks(
  outline: readonly OutlineStep[],
  planned: ReadonlySet<string>,
  attempts: readonly AttemptSpan[],
): readonly RoundLink[] {
  const seen = outline.filter(({ path }) => !planned.has(path));
  if (seen.length === 0) return [];
  const firsts = new Map<string, AttemptSpan>();
  for (const attempt of attempts) if (!firsts.has(attempt.path)) firsts.set(attempt.path, attempt);
  const groups = Map.groupBy(seen, ({ after: [around = ""] }) => around);
  return [...groups].flatMap(([around, steps]) => {
    if (around === "" || steps.length > MAX_STEPS) return [];
    const spans = steps.flatMap(({ path }) => firsts.get(path) ?? []);
    return spans.map((span) => linkTo(span, around, spans));
  });
}

function linkTo(span: AttemptSpan, around: string, spans: readonly AttemptSpan[]): RoundLink {
  const { path: to, position } = span;
  const over = spans.filter(({ endPosition = Infinity }) => endPosition < position);
  const [last] = over.toSorted((left, right) => (right.endPosition ?? 0) - (left.endPosition ?? 0));
  if (last === undefined) return { from: around, to, kind: "inside" };
  return { from: last.path, to, kind: "then" };
}
