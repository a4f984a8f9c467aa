import stringWidth from "string-width";
import {
  type GraphEdge,
  type GraphNode,
  isAside,
  type WorkflowGraph,
} from "../../contracts/graph.ts";
import {
  layoutGraph,
  linePath,
  type PlacedLine,
  type Point,
  toTenths,
} from "../../foundation/graph-layout.ts";
import type { SizedNode } from "../../foundation/graph-spots.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { detailsOf, labelOfEdge, nodeLabel } from "./graph-text.ts";

const LABEL_PIXELS = 8;
const DETAILS_PIXELS = 6.4;
const PADDING = 16;
const HEIGHT = 46;
const MARGIN = 16;
const WRAP_WIDTH = 1200;
/** More lines to helpers than that would hide the graph; they are told in the titles of the steps then. */
const MAX_HELP_EDGES = 30;

/** A graph as one self-contained SVG, for light and dark pages and for readers that read aloud. */
export function svgGraph(name: string, graph: WorkflowGraph): readonly string[] {
  const { nodes, edges } = withoutTooMuchHelp(graph);
  const place = layoutGraph(nodes.map(sizeOf), edges.map(toLink), {
    direction: "right",
    wrapWidth: WRAP_WIDTH,
  });
  const [width, height] = [place.width, place.height].map((size) => Math.ceil(size) + 2 * MARGIN);
  const titles = titlesOf(graph);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-MARGIN} ${-MARGIN} ${width} ${height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${toXmlText(toPrintable(name))}</title>`,
    `<desc id="description">${toXmlText(describe(graph))}</desc>`,
    `<style>${SVG_STYLE}</style>`,
    `<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker></defs>`,
    ...place.lines.map(edgePath),
    ...place.lines.flatMap(edgeKey),
    ...nodes.map((node) =>
      nodeGroup(node, place.nodes.get(node.id) ?? { x: 0, y: 0 }, titles.get(node.id) ?? ""),
    ),
    "</svg>",
  ];
}

function withoutTooMuchHelp({ nodes, edges }: WorkflowGraph): WorkflowGraph {
  const others = edges.filter((edge) => !isAside(edge));
  if (edges.length - others.length <= MAX_HELP_EDGES) return { nodes, edges };
  return { nodes: nodes.filter(({ kind }) => kind !== "agent"), edges: others };
}

interface SvgLink extends GraphEdge {
  readonly labelWidth: number;
}

function toLink(edge: GraphEdge): SvgLink {
  return { ...edge, labelWidth: stringWidth(keyOf(edge)) * DETAILS_PIXELS };
}

/** What is written beside an edge: the key of a route. */
function keyOf(edge: GraphEdge): string {
  return edge.kind === "route" ? labelOfEdge(edge) : "";
}

function sizeOf(node: GraphNode): SizedNode {
  const label = stringWidth(nodeLabel(node)) * LABEL_PIXELS;
  const details = stringWidth(detailsText(node)) * DETAILS_PIXELS;
  return {
    id: node.id,
    width: Math.ceil(Math.max(label, details, 40)) + PADDING * 2,
    height: HEIGHT,
  };
}

function detailsText(node: GraphNode): string {
  return detailsOf(node).join(" · ");
}

/** What the whole graph says, for who cannot see it. */
function describe({ nodes, edges }: WorkflowGraph): string {
  const before = Map.groupBy(
    edges.filter((edge) => !isAside(edge)),
    ({ to }) => to,
  );
  const sentences = nodes.map((node) => {
    const details = detailsOf(node).join(", ");
    const after = (before.get(node.id) ?? []).map(({ from }) => from).join(", ");
    const place = after === "" ? "" : ` after ${after}`;
    return `${nodeLabel(node)}${details === "" ? "" : ` (${details})`}${place}.`;
  });
  return sentences.join(" ");
}

function titlesOf({ nodes, edges }: WorkflowGraph): ReadonlyMap<string, string> {
  const labels = new Map(nodes.map((node) => [node.id, nodeLabel(node)]));
  const help = Map.groupBy(edges.filter(isAside), ({ from }) => from);
  return new Map(
    nodes.map((node) => {
      const helpers = (help.get(node.id) ?? []).map(({ to, kind }) => `${kind}: ${labels.get(to)}`);
      const condition =
        node.condition === undefined ? [] : [`when: ${toPrintable(node.condition)}`];
      return [node.id, [nodeLabel(node), ...detailsOf(node), ...condition, ...helpers].join(", ")];
    }),
  );
}

function nodeGroup(node: GraphNode, { x: left, y: top }: Point, title: string): string {
  const { width, height } = sizeOf(node);
  const details = detailsText(node);
  const [x, y] = [left + width / 2, top + height / 2];
  const classes = ["node", node.kind, ...(node.status === undefined ? [] : [node.status])];
  const corner = node.kind === "step" ? 6 : height / 2;
  return [
    `<g class="${classes.join(" ")}">`,
    `<title>${toXmlText(title)}</title>`,
    `<rect class="shape" x="${toTenths(left)}" y="${toTenths(top)}" width="${toTenths(width)}" height="${toTenths(height)}" rx="${toTenths(corner)}"/>`,
    `<text x="${toTenths(x)}" y="${toTenths(details === "" ? y + 5 : y - 2)}">${toXmlText(nodeLabel(node))}</text>`,
    ...(details === ""
      ? []
      : [
          `<text class="details" x="${toTenths(x)}" y="${toTenths(y + 14)}">${toXmlText(details)}</text>`,
        ]),
    "</g>",
  ].join("");
}

function edgePath(line: PlacedLine<SvgLink>): string {
  return `<path class="edge ${line.link.kind}" d="${linePath(line, "right")}" marker-end="url(#head)"/>`;
}

function edgeKey({ link, label }: PlacedLine<SvgLink>): readonly string[] {
  const key = keyOf(link);
  if (key === "") return [];
  return [
    `<text class="key" x="${toTenths(label.x)}" y="${toTenths(label.y + 4)}">${toXmlText(key)}</text>`,
  ];
}

/** Colours for light and dark surroundings; every state also has its word, its border and its dashes. */
const SVG_STYLE = `
svg { --paper: #ffffff; --ink: #1b1f24; --soft: #57606a; --line: #8c959f; --box: #f6f8fa; --good: #1a7f37; --bad: #cf222e; --busy: #0969da; --warn: #9a6700; background: var(--paper); font-family: system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { svg { --paper: #0d1117; --ink: #e6edf3; --soft: #9198a1; --line: #6e7681; --box: #161b22; --good: #3fb950; --bad: #f85149; --busy: #58a6ff; --warn: #d29922; } }
text { fill: var(--ink); font-size: 14px; text-anchor: middle; }
text.details, text.key { fill: var(--soft); font-size: 11px; }
text.key { stroke: var(--paper); stroke-width: 4px; paint-order: stroke; }
.node > .shape { fill: var(--box); stroke: var(--line); stroke-width: 1.5; }
.agent > .shape { stroke-dasharray: 5 3; }
.completed > .shape { stroke: var(--good); stroke-width: 2; }
.failed > .shape { stroke: var(--bad); stroke-width: 3; }
.running > .shape { stroke: var(--busy); stroke-width: 3; }
.retrying > .shape, .waiting > .shape { stroke: var(--warn); stroke-width: 3; stroke-dasharray: 8 3; }
.skipped > .shape { stroke-dasharray: 2 3; }
.blocked > .shape, .cancelled > .shape { stroke: var(--bad); stroke-dasharray: 2 3; }
.edge { fill: none; stroke: var(--line); stroke-width: 1.5; }
.signal { stroke-dasharray: 1 4; stroke-linecap: round; }
.fallback, .escalation, .shadow, .inside { stroke-dasharray: 6 4; }
.head { fill: var(--line); }`.trim();

// What XML 1.0 cannot hold, however it is written.
const NOT_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

/** A text as content or attribute value of XML: nothing in it is markup. */
function toXmlText(text: string): string {
  return text.replace(NOT_XML, "\ufffd").replace(/[&<>"']/g, (sign) => ENTITIES.get(sign) ?? sign);
}
