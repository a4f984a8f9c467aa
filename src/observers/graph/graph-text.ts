import type { GraphNode, GraphNodeStatus } from "../../contracts/graph.ts";
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
export function labelOf({ kind, label, condition }: GraphNode): string {
  const text = toPrintable(label);
  if (kind === "barrier") return `[${text}]`;
  return condition === undefined ? text : `${text}?`;
}

/** What a drawing says of a node beyond its label: `coder`, `claude`, `failed, attempt 2 of 3`. */
export function detailsOf(node: GraphNode): readonly string[] {
  const { agent, backend, kind } = node;
  const worker = [agent, backend].filter((part) => part !== undefined);
  return [...(kind === "step" ? [] : [kind]), ...worker.map(toPrintable), ...statusOf(node)];
}

function statusOf({ status, attempt = 1, maxAttempts = 1 }: GraphNode): readonly string[] {
  if (status === undefined) return [];
  if (attempt === 1) return [status];
  return [`${status}, attempt ${attempt}${attempt > maxAttempts ? "" : ` of ${maxAttempts}`}`];
}
