import stringWidth from "string-width";
import type { GraphNode, WorkflowGraph } from "../../../contracts/graph.ts";
import { drawnNodes } from "../drawn-nodes.ts";
import { detailsOf, labelOf, type TextOptions } from "../graph-text.ts";
import { layersOf } from "../layers.ts";

// More names than that are no longer read; `--format json` has them all.
const MAX_NAMES = 6;

/** A graph as a list in the order of its layers: every node with its agent and what it waits for. */
export function listGraph(graph: WorkflowGraph, options: TextOptions): readonly string[] {
  const shown = drawnNodes(graph);
  const known = new Map(shown.map((node) => [node.id, node]));
  const links = graph.edges.filter(({ from, to }) => known.has(from) && known.has(to));
  const { layerOf } = layersOf([...known.keys()], links);
  const before = Map.groupBy(links, ({ to }) => to);
  const layer = ({ id }: GraphNode) => layerOf.get(id) ?? 0;
  const ordered = shown.toSorted((left, right) => layer(left) - layer(right));
  const dot = options.isAscii ? ", " : " · ";
  const rows = ordered.map((node) => {
    const sources = (before.get(node.id) ?? []).map(({ from }) => from);
    return { node, cells: [labelOf(node), detailsOf(node).join(dot), after(sources)] };
  });
  const widths = [0, 1].map((column) =>
    Math.max(0, ...rows.map(({ cells }) => stringWidth(cells[column] ?? ""))),
  );
  return rows.map(({ node, cells }) => toLine(node, pad(cells, widths), options));
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
