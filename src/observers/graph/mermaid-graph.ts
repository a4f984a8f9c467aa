import {
  type GraphEdge,
  type GraphNode,
  type GraphNodeStatus,
  isAside,
  type WorkflowGraph,
} from "../../contracts/graph.ts";
import { detailsOf, labelOfEdge, nodeLabel } from "./graph-text.ts";

const INDENT = "  ";
/** Brackets around a label by the kind of its node. */
const SHAPES = {
  step: ["[", "]"],
  barrier: ["{{", "}}"],
  agent: ["([", "])"],
} as const satisfies { readonly [kind in GraphNode["kind"]]: readonly [string, string] };

/** One style for light and dark pages: colours of borders only. */
const CLASSES = {
  completed: "stroke:#2e7d32,stroke-width:2px",
  failed: "stroke:#c62828,stroke-width:3px",
  running: "stroke:#1565c0,stroke-width:3px",
  retrying: "stroke:#ef6c00,stroke-width:3px",
  waiting: "stroke:#ef6c00,stroke-width:3px,stroke-dasharray:6 3",
  skipped: "stroke-dasharray:2 3",
  blocked: "stroke:#c62828,stroke-dasharray:2 3",
  cancelled: "stroke:#c62828,stroke-dasharray:6 3",
} as const satisfies { readonly [status in GraphNodeStatus]?: string };

/** A graph as a Mermaid flowchart. No label can become syntax. */
export function mermaidGraph({ nodes, edges }: WorkflowGraph): readonly string[] {
  const names = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
  return [
    "flowchart LR",
    ...nodes.map((node) => `${INDENT}${names.get(node.id)}${shapeOf(node)}`),
    ...edges.map(
      (edge) => `${INDENT}${names.get(edge.from)} ${arrowOf(edge)} ${names.get(edge.to)}`,
    ),
    ...classLines(nodes, names).map((line) => `${INDENT}${line}`),
  ];
}

function shapeOf(node: GraphNode): string {
  const [open, close] = SHAPES[node.kind];
  const lines = [nodeLabel(node), detailsOf(node).join(" · ")].filter((line) => line !== "");
  return `${open}"${lines.map(escapeLabel).join("<br/>")}"${close}`;
}

function arrowOf(edge: GraphEdge): string {
  const arrow = isAside(edge) ? "-.->" : "-->";
  const label = labelOfEdge(edge);
  return label === "" ? arrow : `${arrow}|${escapeLabel(label)}|`;
}

function classLines(
  nodes: readonly GraphNode[],
  names: ReadonlyMap<string, string>,
): readonly string[] {
  return Object.entries(CLASSES).flatMap(([status, style]) => {
    const ids = nodes.filter((node) => node.status === status).map(({ id }) => names.get(id));
    return ids.length === 0
      ? []
      : [`classDef ${status} ${style}`, `class ${ids.join(",")} ${status}`];
  });
}

/** Only letters, digits and harmless signs stay as they are; the rest is written as character codes. */
function escapeLabel(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{N} _.,:?·()/+=-]/gu, (sign) => `#${sign.codePointAt(0)};`);
}
