import type { Link } from "./graph-layers.ts";
import {
  type GraphSpot,
  LOOP_SIZE,
  NODE_GAP,
  placeSpots,
  type SizedNode,
  type SpotPath,
} from "./graph-spots.ts";

/** A point of a drawing, in px. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A link that is to be drawn. */
export interface DrawnLink extends Link {
  /** Width in px of what is written beside its source; 0 for nothing. */
  readonly labelWidth: number;
}

/** A link as a line from the border of its source to that of its target. */
export interface PlacedLine<Kind extends Link> {
  readonly link: Kind;
  /** Whether it leads back to where a way has come from, or to its own node. */
  readonly isBack: boolean;
  /** From the source to the target; a link to its own node has the four points of one curve. */
  readonly points: readonly Point[];
  /** The middle of what is written beside it. */
  readonly label: Point;
}

/** Where everything of a graph is. */
export interface GraphLayout<Kind extends Link> {
  readonly width: number;
  readonly height: number;
  /** Top left corners by id. */
  readonly nodes: ReadonlyMap<string, Point>;
  /** In the order of the links. */
  readonly lines: readonly PlacedLine<Kind>[];
}

/** Where later layers go. */
export type GraphDirection = "right" | "down";

/** How a graph is drawn. */
export interface LayoutOptions {
  readonly direction: GraphDirection;
  /** Width in px that nodes without links are wrapped at. */
  readonly wrapWidth: number;
}

const LAYER_GAP = 44;
/** What a gap has beside the widest text in it. */
const LABEL_GAP = 28;
/** Between lines that have places of their own at a node, and between the first and the last of them. */
const LINE_GAP = 14;
const PORTS_SIZE = 30;
/** Half of the opening of a link to its own node, along the layers. */
const LOOP_OPENING = 12;

/**
 * Places a graph in layers; nodes without any link come below them, in rows. Links whose ends are not among the nodes
 * are left out. The same graph always comes out the same.
 */
export function layoutGraph<Kind extends DrawnLink>(
  nodes: readonly SizedNode[],
  links: readonly Kind[],
  { direction, wrapWidth }: LayoutOptions,
): GraphLayout<Kind> {
  const known = new Set(nodes.map(({ id }) => id));
  const shown = links.filter(({ from, to }) => known.has(from) && known.has(to));
  const linked = new Set(shown.flatMap(({ from, to }) => [from, to]));
  const joined = nodes.filter(({ id }) => linked.has(id));
  const single = nodes.filter(({ id }) => !linked.has(id));
  const layered = placeColumns(joined, shown, direction);
  return single.length === 0 ? layered : addRows(layered, single, wrapWidth);
}

/** The `d` of an SVG path along a line: straight through layers, in soft curves between them. */
export function linePath(
  { link, points }: Pick<PlacedLine<Link>, "link" | "points">,
  direction: GraphDirection,
): string {
  const [start, ...rest] = points;
  if (start === undefined) return "";
  const parts =
    link.from === link.to
      ? [`C${rest.map(show).join(" ")}`]
      : rest.map((to, index) => curve(points[index] ?? start, to, direction));
  return `M${show(start)}${parts.join("")}`;
}

function curve(from: Point, to: Point, direction: GraphDirection): string {
  const isRight = direction === "right";
  if (isRight ? from.y === to.y : from.x === to.x) return `L${show(to)}`;
  const [middleX, middleY] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
  const bent = isRight
    ? [{ x: middleX, y: from.y }, { x: middleX, y: to.y }, to]
    : [{ x: from.x, y: middleY }, { x: to.x, y: middleY }, to];
  return `C${bent.map(show).join(" ")}`;
}

function show({ x, y }: Point): string {
  return `${toTenths(x)},${toTenths(y)}`;
}

/** Tenths of pixels: the same on every machine. */
export function toTenths(px: number): number {
  return Math.round(px * 10) / 10;
}

function placeColumns<Kind extends DrawnLink>(
  nodes: readonly SizedNode[],
  links: readonly Kind[],
  direction: GraphDirection,
): GraphLayout<Kind> {
  // Downwards is to the right with the axes changed.
  const turn = ({ x, y }: Point): Point => (direction === "right" ? { x, y } : { x: y, y: x });
  const turned = nodes.map(({ id, width, height }) => {
    const size = turn({ x: width, y: height });
    return { id, width: size.x, height: size.y };
  });
  const { layers, paths } = placeSpots(turned, links);
  const columns = columnsOf(layers, paths);
  const places = layers.flat().flatMap((spot) => {
    const { node, centre } = spot;
    if (node === undefined) return [];
    const x = middleOf(columns, spot) - node.width / 2;
    return [[node.id, turn({ x, y: centre - node.height / 2 })] as const];
  });
  addPorts(paths);
  const lines = paths.map((path) => lineOf(path, columns));
  const ends = lines.map(({ link, label }) => label.x + link.labelWidth / 2);
  const right = ends.reduce((most, end) => Math.max(most, end), columns.at(-1)?.[1] ?? 0);
  const bottom = layers
    .flatMap((layer) => layer.slice(-1))
    .reduce((most, { centre, height }) => Math.max(most, centre + height / 2), 0);
  const { x: width, y: height } = turn({ x: right, y: bottom });
  return {
    width,
    height,
    nodes: new Map(places),
    lines: lines.map((line) => {
      return { ...line, points: line.points.map(turn), label: turn(line.label) };
    }),
  };
}

/** Where a layer is, in x. */
type Column = readonly [start: number, end: number];

function columnsOf(
  layers: readonly (readonly GraphSpot[])[],
  paths: readonly SpotPath<DrawnLink>[],
): readonly Column[] {
  const gaps = layers.map(() => LAYER_GAP);
  for (const { link, isBack, spots } of paths) {
    const source = isBack ? spots.at(-2) : spots[0];
    if (spots.length < 2 || source === undefined || link.labelWidth === 0) continue;
    gaps[source.layer] = Math.max(gaps[source.layer] ?? 0, link.labelWidth + LABEL_GAP);
  }
  let start = 0;
  return layers.map((layer, index) => {
    const column = [start, start + Math.max(...layer.map(({ node }) => node?.width ?? 0))] as const;
    start = column[1] + (gaps[index] ?? 0);
    return column;
  });
}

function middleOf(columns: readonly Column[], { layer }: GraphSpot): number {
  const [start, end] = columns[layer] ?? [0, 0];
  return (start + end) / 2;
}

/**
 * Lines meet a node in its middle. Where some come and others go on one side of it, or two join the same nodes, each
 * has a place of its own there, in the order in which they lead away.
 */
function addPorts(paths: readonly SpotPath<Link>[]): void {
  for (const side of [0, 1] as const) {
    const ends = paths.flatMap((path) => {
      const [node, next] = [0, 1].map((step) => path.spots.at(side === 0 ? step : -1 - step));
      return node === undefined || next === undefined ? [] : [{ path, node, next }];
    });
    for (const own of Map.groupBy(ends, ({ node }) => node).values()) {
      const isMixed = new Set(own.map(({ path }) => path.isBack)).size > 1;
      if (!isMixed && new Set(own.map(({ next }) => next)).size === own.length) continue;
      const gap = Math.min(LINE_GAP, PORTS_SIZE / (own.length - 1));
      own.sort((left, right) => left.next.centre - right.next.centre);
      for (const [index, { path }] of own.entries())
        path.ports[side] = (index - (own.length - 1) / 2) * gap;
    }
  }
}

function lineOf<Kind extends DrawnLink>(
  { link, isBack, spots, ports }: SpotPath<Kind>,
  columns: readonly Column[],
): PlacedLine<Kind> {
  const [first, last] = [spots[0], spots.at(-1)];
  if (first !== undefined && first === last) return loopOf(link, first, columns);
  const stretches = spots.map((spot): readonly Point[] => {
    const [start, end] = columns[spot.layer] ?? [0, 0];
    // A line enters and leaves its nodes at their borders, and crosses their layers straight on.
    const half = (spot.node?.width ?? 0) / 2;
    const from = spot === first ? middleOf(columns, spot) + half : start;
    const to = spot === last ? middleOf(columns, spot) - half : end;
    const y = spot.centre + (spot === first ? ports[0] : 0) + (spot === last ? ports[1] : 0);
    return [...new Set([from, to])].map((x) => ({ x, y }));
  });
  const [before, after] = isBack ? stretches.slice(-2) : stretches;
  const label = middle(before?.at(-1), after?.[0]);
  const points = stretches.flat();
  return { link, isBack, points: isBack ? points.reverse() : points, label };
}

function loopOf<Kind extends DrawnLink>(
  link: Kind,
  spot: GraphSpot,
  columns: readonly Column[],
): PlacedLine<Kind> {
  const x = middleOf(columns, spot);
  const top = spot.centre - spot.height / 2;
  const border = top + LOOP_SIZE;
  const reach = LOOP_OPENING * 1.75;
  return {
    link,
    isBack: true,
    points: [
      { x: x - LOOP_OPENING, y: border },
      { x: x - reach, y: top },
      { x: x + reach, y: top },
      { x: x + LOOP_OPENING, y: border },
    ],
    label: { x: x + reach + link.labelWidth / 2, y: top + LOOP_SIZE / 2 },
  };
}

function middle(from: Point = { x: 0, y: 0 }, to: Point = from): Point {
  return { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
}

function addRows<Kind extends Link>(
  layout: GraphLayout<Kind>,
  single: readonly SizedNode[],
  wrapWidth: number,
): GraphLayout<Kind> {
  const stepX = NODE_GAP + Math.max(...single.map(({ width }) => width));
  const stepY = NODE_GAP + Math.max(...single.map(({ height }) => height));
  const columns = Math.max(1, Math.floor((Math.max(wrapWidth, layout.width) + NODE_GAP) / stepX));
  const top = layout.height === 0 ? 0 : layout.height + LAYER_GAP;
  const nodes = new Map(layout.nodes);
  for (const [index, { id }] of single.entries()) {
    const row = Math.floor(index / columns);
    nodes.set(id, { x: (index % columns) * stepX, y: top + row * stepY });
  }
  return {
    ...layout,
    width: Math.max(layout.width, Math.min(columns, single.length) * stepX - NODE_GAP),
    height: top + Math.ceil(single.length / columns) * stepY - NODE_GAP,
    nodes,
  };
}
