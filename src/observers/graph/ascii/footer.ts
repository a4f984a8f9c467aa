import type {
  GraphEdge,
  GraphNode,
  GraphNodeStatus,
  WorkflowGraph,
} from "../../../contracts/graph.ts";
import type { Link } from "../../../foundation/graph-layers.ts";
import { labelOfEdge, nodeLabel, signedLabel, type TextOptions } from "../graph-text.ts";

// More names than that are no longer read; `--format json` has them all.
const MAX_NAMES = 12;

/** What a drawing cannot show: implied links, who helps out or watches, what is conditional, how far a run is. */
export function footerLines(
  graph: WorkflowGraph,
  implied: readonly Link[],
  options: TextOptions,
): readonly string[] {
  const lines = [
    ...impliedLines(implied),
    ...helpLines(graph),
    ...shadowLines(graph),
    ...(graph.nodes.some(({ condition }) => condition !== undefined)
      ? ["a step with ? has a condition, which is decided at run time"]
      : []),
    ...legend(graph, options),
  ];
  return lines.map((line) => ` ${line}`);
}

function impliedLines(implied: readonly Link[]): readonly string[] {
  return [...Map.groupBy(implied, ({ to }) => to)].map(
    ([to, links]) => `${to} also waits for ${links.map(({ from }) => from).join(", ")}`,
  );
}

/** Steps that are helped by the same agents share a line. */
function helpLines({ nodes, edges }: WorkflowGraph): readonly string[] {
  const labels = new Map(nodes.map((node) => [node.id, nodeLabel(node)]));
  const help = edges.filter(({ kind }) => kind === "fallback" || kind === "escalation");
  const perStep = [...Map.groupBy(help, ({ from }) => from)].map(([step, own]) => {
    const helpers = own.map(({ to, kind }) => `${labels.get(to) ?? to} (${kind})`);
    return { step, helpers: helpers.join(", then ") };
  });
  const stepCount = nodes.filter(({ kind }) => kind === "step").length;
  return [...Map.groupBy(perStep, ({ helpers }) => helpers)].map(([helpers, steps]) => {
    const isAll = steps.length === stepCount && stepCount > 1;
    const names = isAll ? "any step" : steps.map(({ step }) => step).join(", ");
    return `if ${names} fails: ${helpers}`;
  });
}

function shadowLines({ nodes, edges }: WorkflowGraph): readonly string[] {
  const labels = new Map(nodes.map((node) => [node.id, nodeLabel(node)]));
  const watching = edges.filter(({ kind }) => kind === "shadow");
  return [...Map.groupBy(watching, ({ to }) => to)].map(([shadow, own]) => {
    const watched = own.map(({ from }) => labels.get(from) ?? from).join(", ");
    return `${labels.get(shadow) ?? shadow} watches ${watched}`;
  });
}

function legend({ nodes }: WorkflowGraph, { signs, paint }: TextOptions): readonly string[] {
  const counts = new Map<GraphNodeStatus, number>();
  for (const { status, kind } of nodes) {
    if (kind === "step" && status !== undefined) counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  if (counts.size === 0) return [];
  const parts = [...counts].map(([status, count]) =>
    paint(`${signs[status]} ${count} ${status}`.trim(), status),
  );
  return [parts.join("   ")];
}

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

/** What is inside of the steps of a drawing, a line each. */
export function nestedLines(graph: WorkflowGraph, options: TextOptions): readonly string[] {
  const labels = new Map(graph.nodes.map((node) => [node.id, nodeLabel(node)]));
  return [...nestedNodes(graph)].map(([id, inner]) => {
    const names = inner.slice(0, MAX_NAMES).map((node) => signedLabel(node, options));
    const more = inner.length - names.length;
    const rest = more > 0 ? [`${more} more`] : [];
    return ` in ${labels.get(id) ?? id}: ${[...names, ...rest].join(", ")}`;
  });
}

/** The nodes inside of others, by the id of the node around them. */
export function nestedNodes({
  nodes,
  edges,
}: WorkflowGraph): ReadonlyMap<string, readonly GraphNode[]> {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const inside = Map.groupBy(
    edges.filter(({ kind }) => kind === "inside"),
    ({ from }) => from,
  );
  return new Map(
    [...inside].map(([id, own]) => [id, own.flatMap(({ to }) => known.get(to) ?? [])]),
  );
}
