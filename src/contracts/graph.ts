/** Where a node of a run is; `pending` has not begun. */
export type GraphNodeStatus =
  | "pending"
  | "running"
  | "retrying"
  | "waiting"
  | "completed"
  | "failed"
  | "skipped"
  | "blocked"
  | "cancelled";

/** A step, a barrier, or an agent that only helps out. */
export interface GraphNode {
  /** Unique in the graph: the id of a step or barrier, `agent:ID` for an agent. */
  readonly id: string;
  readonly kind: "step" | "barrier" | "agent";
  /** What a drawing shows. Not trusted: it may come from a file. */
  readonly label: string;
  /** The type of a step of a step workflow. */
  readonly type?: string;
  /** Who carries a step out. */
  readonly agent?: string;
  readonly backend?: string;
  /** The workflow that a step runs as a child. */
  readonly workflow?: string;
  /** The `when` of a step: decided at run time. */
  readonly condition?: string;
  /** Attempts of a step in all. */
  readonly maxAttempts?: number;
  /** In the graph of a run only. */
  readonly status?: GraphNodeStatus;
  /** The attempt that a run has come to. */
  readonly attempt?: number;
  /** How often a run has carried it out, when that is more than once. */
  readonly executions?: number;
}

/** `from` comes before `to`, tells it something, hands over to it when it fails, is watched by it, or holds it. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly kind:
    | "dependency"
    | "order"
    | "route"
    | "signal"
    | "fallback"
    | "escalation"
    | "shadow"
    | "inside";
  /** The keys of a route, such as `then` or `next, on_error`. */
  readonly label?: string;
}

const ASIDE: ReadonlySet<GraphEdge["kind"]> = new Set([
  "fallback",
  "escalation",
  "shadow",
  "inside",
]);

/**
 * Whether an edge leads to what stands beside the order: an agent that helps when something fails, or that watches,
 * and a step inside of another.
 */
export function isAside({ kind }: GraphEdge): boolean {
  return ASIDE.has(kind);
}

/** What a workflow looks like, whoever draws it. May hold cycles. */
export interface WorkflowGraph {
  /** In the order of the definition. */
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}
