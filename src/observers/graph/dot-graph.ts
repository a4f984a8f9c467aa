import {
  type GraphEdge,
  type GraphNode,
  type GraphNodeStatus,
  isAside,
  type WorkflowGraph,
} from "../../contracts/graph.ts";
import { detailsOf, labelOfEdge, nodeLabel } from "./graph-text.ts";

const SHAPES = {
  step: "box",
  barrier: "hexagon",
  agent: "oval",
} as const satisfies { readonly [kind in GraphNode["kind"]]: string };

const STYLES: { readonly [status in GraphNodeStatus]: string } = {
  pending: "",
  completed: 'color="#2e7d32", penwidth=2',
  failed: 'color="#c62828", penwidth=3',
  running: 'color="#1565c0", penwidth=3',
  retrying: 'color="#ef6c00", penwidth=3',
  waiting: 'color="#ef6c00", penwidth=3, style="dashed"',
  skipped: 'style="dotted"',
  blocked: 'color="#c62828", style="dotted"',
  cancelled: 'color="#c62828", style="dashed"',
};

/** A graph in the language of Graphviz. No label can become syntax. */
export function dotGraph(name: string, { nodes, edges }: WorkflowGraph): readonly string[] {
  const names = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
  return [
    `digraph ${quote(name)} {`,
    "  rankdir=LR;",
    '  node [fontname="sans-serif"];',
    ...nodes.map((node) => `  ${names.get(node.id)} [${attributesOf(node)}];`),
    ...edges.map((edge) => `  ${names.get(edge.from)} -> ${names.get(edge.to)}${styleOf(edge)};`),
    "}",
  ];
}

function attributesOf(node: GraphNode): string {
  const lines = [nodeLabel(node), detailsOf(node).join(" · ")].filter((line) => line !== "");
  const style = node.status === undefined ? "" : STYLES[node.status];
  const attributes = [
    // The line break is the only backslash that Graphviz may read as one.
    `label="${lines.map(escapeLabel).join("\\n")}"`,
    `shape=${SHAPES[node.kind]}`,
    ...(style === "" ? [] : [style]),
  ];
  return attributes.join(", ");
}

function styleOf(edge: GraphEdge): string {
  const label = labelOfEdge(edge);
  const attributes = [
    ...(label === "" ? [] : [`label=${quote(label)}`]),
    ...(isAside(edge) ? ['style="dashed"'] : []),
  ];
  return attributes.length === 0 ? "" : ` [${attributes.join(", ")}]`;
}

function quote(text: string): string {
  return `"${escapeLabel(text)}"`;
}

/** Graphviz also reads HTML entities, so that `&` must not begin one. */
function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("&", "&amp;");
}
