import stringWidth from "string-width";
import { type GraphNode, isAside, type WorkflowGraph } from "../../../contracts/graph.ts";
import { cutBackLinks, layersOf } from "../../../foundation/graph-layers.ts";
import { detailsOf, nodeLabel, type TextOptions } from "../graph-text.ts";
import { nestedNodes, routeTextsOf } from "./footer.ts";

// More names than that are no longer read; `--format json` has them all.
const MAX_NAMES = 6;

/** A graph as a list in the order of its layers: every node with its agent and what it waits for. */
export function listGraph(graph: WorkflowGraph, options: TextOptions): readonly string[] {
  const shown = drawnNodes(graph);
  const known = new Map(shown.map((node) => [node.id, node]));
  const links = graph.edges.filter(({ from, to }) => known.has(from) && known.has(to));
  const layerOf = layersOf([...known.keys()], cutBackLinks([...known.keys()], links).onward);
  const before = Map.groupBy(
    links.filter(({ kind }) => kind !== "route"),
    ({ to }) => to,
  );
  const routes = routeTextsOf(graph);
  const layer = ({ id }: GraphNode) => layerOf.get(id) ?? 0;
  const ordered = shown.toSorted((left, right) => layer(left) - layer(right));
  const nested = nestedNodes(graph);
  const dot = options.isAscii ? ", " : " · ";
  const rowsOf = (node: GraphNode, indent: string): readonly Row[] => {
    const sources = (before.get(node.id) ?? []).map(({ from }) => from);
    const ways = [after(sources), routes.get(node.id) ?? ""].filter((way) => way !== "");
    const cells = [`${indent}${nodeLabel(node)}`, detailsOf(node).join(dot), ways.join("; ")];
    const inner = nested.get(node.id) ?? [];
    return [{ node, cells }, ...inner.flatMap((each) => rowsOf(each, `${indent}  `))];
  };
  const rows = ordered.flatMap((node) => rowsOf(node, ""));
  const widths = [0, 1].map((column) =>
    Math.max(0, ...rows.map(({ cells }) => stringWidth(cells[column] ?? ""))),
  );
  return rows.map(({ node, cells }) => toLine(node, pad(cells, widths), options));
}

interface Row {
  readonly node: GraphNode;
  readonly cells: readonly string[];
}

function after(sources: readonly string[]): string {
  if (sources.length === 0) return "";
  const more = sources.length - MAX_NAMES;
  const names = sources.slice(0, MAX_NAMES).join(", ");
  return more > 0 ? `after ${names} and ${more} more` : `after ${names}`;
}

function pad(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map(
    (text, column) => text + " ".repeat(Math.max(0, (widths[column] ?? 0) - stringWidth(text))),
  );
  return padded.join("  ").trimEnd();
}

function toLine({ status }: GraphNode, text: string, { signs, paint }: TextOptions): string {
  if (status === undefined) return ` ${text}`;
  const widest = Math.max(...Object.values(signs).map((sign) => stringWidth(sign)));
  const sign = signs[status];
  return paint(` ${sign}${" ".repeat(widest - stringWidth(sign))} ${text}`, status);
}

/** The nodes that a drawing as text has: all but those that stand beside the order. */
export function drawnNodes({ nodes, edges }: WorkflowGraph): readonly GraphNode[] {
  const aside = new Set(edges.filter(isAside).map(({ to }) => to));
  const inside = new Set(edges.filter(({ kind }) => kind === "inside").map(({ to }) => to));
  return nodes.filter(({ id, kind }) => !inside.has(id) && (kind !== "agent" || !aside.has(id)));
}
