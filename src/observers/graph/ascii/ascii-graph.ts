import stringWidth from "string-width";
import { type GraphNode, isAside, type WorkflowGraph } from "../../../contracts/graph.ts";
import {
  cutBackLinks,
  type Link,
  layersOf,
  orderLayers,
} from "../../../foundation/graph-layers.ts";
import { signedLabel, type TextOptions } from "../graph-text.ts";
import { assignRows } from "./assign-rows.ts";
import { toColumns } from "./columns.ts";
import { ASCII_LINES, drawColumns, type Piece, UNICODE_LINES } from "./draw-columns.ts";
import { footerLines, nestedLines, routeLines } from "./footer.ts";
import { drawnNodes, listGraph } from "./list-graph.ts";

// The narrowest channel between two columns: blank, line, arrow, blank.
const CHANNEL_COLUMNS = 4;

/**
 * A graph as lines for a terminal: drawn from left to right where its lines need not cross and it fits into
 * the width, else as a list. What a drawing leaves out is told below it.
 */
export function asciiGraph(graph: WorkflowGraph, options: TextOptions): readonly string[] {
  const drawn = draw(graph, options);
  if (drawn !== undefined)
    return [
      ...drawn.lines,
      ...routeLines(graph),
      ...nestedLines(graph, options),
      ...footerLines(graph, drawn.implied, options),
    ];
  return [
    ...listGraph(graph, options),
    ` as a list: a drawing would be wider than ${options.width} columns, or its lines would cross`,
    ...footerLines(graph, [], options),
  ];
}

function draw(
  graph: WorkflowGraph,
  options: TextOptions,
): { readonly lines: readonly string[]; readonly implied: readonly Link[] } | undefined {
  const nodes = drawnNodes(graph);
  const ids = nodes.map(({ id }) => id);
  const { onward: links, back } = cutBackLinks(
    ids,
    graph.edges.filter((edge) => !isAside(edge)),
  );
  // A way back of a route is told below the drawing.
  if (back.some(({ kind }) => kind !== "route")) return undefined;
  const layerOf = layersOf(ids, links);
  const texts = new Map(nodes.map((node) => [node.id, signedLabel(node, options)]));
  if (!mayFit(layerOf, texts, options)) return undefined;
  const { kept, implied } = reduceLinks(layerOf, links);
  // A route is no order: it is told with its key.
  const told = new Set<Link>(
    graph.edges.filter(({ kind }) => kind === "signal" || kind === "route"),
  );
  const statuses = new Map(nodes.map(({ id, status }) => [id, status]));
  const lines: string[] = [];
  for (const component of componentsOf([...texts.keys()], kept)) {
    const rows = drawComponent(component, { layerOf, texts, options });
    if (rows === undefined) return undefined;
    lines.push(...rows.map((row) => toLine(row, statuses, options)));
  }
  return { lines, implied: implied.filter((link) => !told.has(link)) };
}

interface Surroundings {
  readonly layerOf: ReadonlyMap<string, number>;
  readonly texts: ReadonlyMap<string, string>;
  readonly options: TextOptions;
}

function drawComponent(
  { ids, links }: Component,
  { layerOf, texts, options }: Surroundings,
): readonly (readonly Piece[])[] | undefined {
  const columns = toColumns(new Map(ids.map((id) => [id, layerOf.get(id) ?? 0])), links);
  if (orderLayers(columns.boxes, columns.channels) > 0 || !assignRows(columns)) return undefined;
  const rows = drawColumns(columns, options.isAscii ? ASCII_LINES : UNICODE_LINES, {
    textOf: (id) => texts.get(id) ?? id,
    widthOf: (id) => stringWidth(texts.get(id) ?? id),
  });
  const width = Math.max(...rows.map((row) => stringWidth(row.map(({ text }) => text).join(""))));
  return width < options.width ? rows : undefined;
}

/** Whether the columns alone fit, before anything costly is done. */
function mayFit(
  layerOf: ReadonlyMap<string, number>,
  texts: ReadonlyMap<string, string>,
  { width }: TextOptions,
): boolean {
  const widths: number[] = [];
  for (const [id, layer] of layerOf)
    widths[layer] = Math.max(widths[layer] ?? 0, stringWidth(texts.get(id) ?? id));
  const columns = widths.reduce((sum, widest) => sum + widest, 0);
  return columns + CHANNEL_COLUMNS * (widths.length - 1) < width;
}

function toLine(
  row: readonly Piece[],
  statuses: ReadonlyMap<string, GraphNode["status"]>,
  { paint }: TextOptions,
): string {
  const end = row.findLastIndex(({ text }) => text.trim() !== "");
  const parts = row.slice(0, end + 1).map(({ text, node }, index) => {
    const shown = index === end ? text.trimEnd() : text;
    if (node === undefined) return shown.trim() === "" ? shown : paint(shown, "line");
    const status = statuses.get(node);
    return status === undefined ? shown : paint(shown, status);
  });
  return ` ${parts.join("")}`;
}

/** Tells links that say something from those that a longer way implies. There must be no cycle; `layerOf` orders the nodes. */
function reduceLinks(
  layerOf: ReadonlyMap<string, number>,
  links: readonly Link[],
): { readonly kept: readonly Link[]; readonly implied: readonly Link[] } {
  const ids = [...layerOf.keys()];
  const layer = (id: string) => layerOf.get(id) ?? 0;
  const bits = new Map(ids.map((id, index) => [id, 1n << BigInt(index)]));
  const next = Map.groupBy(links, ({ from }) => from);
  const after = new Map<string, bigint>();
  const kept = new Set<Link>();
  for (const id of ids.toSorted((left, right) => layer(right) - layer(left))) {
    let reached = 0n;
    const nearest = (next.get(id) ?? []).toSorted(
      (left, right) => layer(left.to) - layer(right.to),
    );
    for (const link of nearest) {
      const bit = bits.get(link.to) ?? 0n;
      if ((reached & bit) !== 0n) continue;
      kept.add(link);
      reached |= bit | (after.get(link.to) ?? 0n);
    }
    after.set(id, reached);
  }
  return {
    kept: links.filter((link) => kept.has(link)),
    implied: links.filter((link) => !kept.has(link)),
  };
}

/** A part of a graph that nothing joins to the rest. */
interface Component {
  readonly ids: readonly string[];
  readonly links: readonly Link[];
}

/** The parts of a graph, by their first node, each with its nodes in their order. */
function componentsOf(ids: readonly string[], links: readonly Link[]): readonly Component[] {
  const neighbours = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { from, to } of links) {
    neighbours.get(from)?.push(to);
    neighbours.get(to)?.push(from);
  }
  const firstOf = new Map<string, string>();
  for (const id of ids) {
    if (firstOf.has(id)) continue;
    const found = new Set([id]);
    for (const member of found) {
      firstOf.set(member, id);
      for (const other of neighbours.get(member) ?? []) found.add(other);
    }
  }
  const linksOf = Map.groupBy(links, ({ from }) => firstOf.get(from));
  return [...Map.groupBy(ids, (id) => firstOf.get(id))].map(([first, members]) => {
    return { ids: members, links: linksOf.get(first) ?? [] };
  });
}
