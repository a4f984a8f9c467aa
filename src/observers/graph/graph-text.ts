import type { GraphEdge, GraphNode, GraphNodeStatus } from "../../contracts/graph.ts";
import { toPrintable } from "../../foundation/printable.ts";

/** How a graph is drawn as text. */
export interface TextOptions {
  /** Columns to fill. */
  readonly width: number;
  /** Only characters of ASCII. */
  readonly isAscii: boolean;
  /** The sign of a status; each stands beside a word or a node. */
  readonly signs: { readonly [status in GraphNodeStatus]: string };
  /** Colours a part by what it shows. */
  readonly paint: (text: string, role: GraphNodeStatus | "line") => string;
}

/** A node's label as one line that any reader shows as it is. */
export function nodeLabel({ kind, label, condition }: GraphNode): string {
  const text = toPrintable(label);
  if (kind === "barrier") return `[${text}]`;
  return condition === undefined ? text : `${text}?`;
}

/** The label with the sign of the node's status and how often it was carried out: `✔ build ×2`. */
export function signedLabel(node: GraphNode, { signs, isAscii }: TextOptions): string {
  const { status, executions = 1 } = node;
  const sign = status === undefined ? "" : signs[status];
  const often = executions === 1 ? "" : `${isAscii ? "x" : "×"}${executions}`;
  return [sign, nodeLabel(node), often].filter((part) => part !== "").join(" ");
}

/** What a drawing says of a node beyond its label: `coder`, `claude`, `failed, attempt 2 of 3`. */
export function detailsOf(node: GraphNode): readonly string[] {
  const { agent, backend, kind, type, workflow } = node;
  // Who carries a step out tells that an agent does.
  const ownType = type === "agent" && agent !== undefined ? undefined : type;
  const worker = [ownType, agent, backend, workflow].filter((part) => part !== undefined);
  return [...(kind === "step" ? [] : [kind]), ...worker.map(toPrintable), ...statusOf(node)];
}

/** What leads along an edge, where that has to be said. */
export function labelOfEdge({ kind, label }: GraphEdge): string {
  switch (kind) {
    case "dependency":
    case "order":
      return "";
    case "route":
      return label === undefined || label === "next" ? "" : toPrintable(label);
    case "signal":
    case "fallback":
    case "escalation":
    case "shadow":
    case "inside":
      return kind;
  }
}

function statusOf(node: GraphNode): readonly string[] {
  const { status, attempt = 1, maxAttempts = 1, executions = 1 } = node;
  if (status === undefined) return [];
  const often = executions === 1 ? "" : `, ${executions} times`;
  if (attempt === 1) return [`${status}${often}`];
  const most = attempt > maxAttempts ? "" : ` of ${maxAttempts}`;
  return [`${status}${often}, attempt ${attempt}${most}`];
}
