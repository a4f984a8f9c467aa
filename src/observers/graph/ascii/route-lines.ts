import type { GraphEdge, WorkflowGraph } from "../../../contracts/graph.ts";
import { labelOfEdge } from "../graph-text.ts";

/** Where the steps of a workflow go on that decide on it themselves, a line each. */
export function routeLines({ edges }: WorkflowGraph): readonly string[] {
  const deciding = edges.filter((edge) => edge.kind === "route" && labelOfEdge(edge) !== "");
  const ids = new Set(deciding.map(({ from }) => from));
  return [...routeTextsOf({ edges })].flatMap(([id, text]) =>
    ids.has(id) ? [` ${id}: ${text}`] : [],
  );
}

/** Where each step goes on, by its id: `then → deploy, else → fix`. */
export function routeTextsOf({ edges }: Pick<WorkflowGraph, "edges">): ReadonlyMap<string, string> {
  const routes = Map.groupBy(
    edges.filter(({ kind }) => kind === "route"),
    ({ from }) => from,
  );
  return new Map([...routes].map(([id, own]) => [id, own.map(wayOf).join(", ")]));
}

function wayOf(edge: GraphEdge): string {
  return `${labelOfEdge(edge) || "next"} → ${edge.to}`;
}
