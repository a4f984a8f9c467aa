import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { type GraphEdge, isAside } from "../../../contracts/graph.ts";
import type { Link } from "../../../foundation/graph-layers.ts";
import {
  type GraphDirection,
  type GraphLayout,
  layoutGraph,
  linePath,
  type PlacedLine,
  type Point,
} from "../../../foundation/graph-layout.ts";
import { toVisibleText } from "../../../foundation/printable.ts";
import type { RunModel } from "../model/run-model.ts";
import { type OutlineStep, type OutlineView, roundLinks } from "../model/run-outline.ts";
import { scaleOf, type Zoom } from "../model/zoom.ts";
import { useViewport, type Viewport } from "../ui/use-size.ts";
import { NODE_HEIGHT, NODE_WIDTH, StepNode, shortenTo } from "./step-node.tsx";
import { useKeptMiddle, ZoomTools, zoomOfKey } from "./zoom-tools.tsx";

const MARGIN = 20;
const LABEL_CHAR_PX = 7;
const MAX_LABEL_CHARS = 30;
// Narrower pages have more room below than beside.
const NARROW_PX = 640;

interface RunGraphProps {
  readonly model: RunModel;
  readonly steps: readonly OutlineView[];
}

/** The steps of the run and what waits for what, each as it is at the moment that is shown. */
export function RunGraph({ model, steps }: RunGraphProps): JSX.Element {
  const [scroller, viewport] = useViewport<HTMLDivElement>();
  const [zoom, setZoom] = useState<Zoom>("auto");
  const direction = viewport.width < NARROW_PX ? "down" : "right";
  const wrapWidth = Math.max(NODE_WIDTH, viewport.width - 2 * MARGIN);
  const layout = useMemo(
    () => layoutGraph(model.outline.map(toNode), linksOf(model), { direction, wrapWidth }),
    [model, direction, wrapWidth],
  );
  const size = { width: layout.width + 2 * MARGIN, height: layout.height + 2 * MARGIN };
  const scale = scaleOf(zoom, size, viewport);
  useKeptMiddle(scroller, zoom === "auto" ? undefined : scale);
  return (
    <div class="graph-frame">
      <section
        class="graph"
        ref={scroller}
        tabIndex={0}
        aria-label="Graph"
        onKeyDown={(event) => {
          const wanted = zoomOfKey(event, scale);
          if (wanted === undefined) return;
          event.preventDefault();
          setZoom(wanted);
        }}
      >
        <svg
          width={size.width * scale}
          height={size.height * scale}
          viewBox={`${-MARGIN} ${-MARGIN} ${size.width} ${size.height}`}
          role="presentation"
        >
          <ArrowHead />
          <Edges model={model} layout={layout} direction={direction} />
          {steps.map((step) => {
            const place = layout.nodes.get(step.path);
            if (place === undefined || !isSeen(place, viewport, scale)) return null;
            return <StepNode key={step.path} step={step} place={place} model={model} />;
          })}
        </svg>
      </section>
      <ZoomTools scale={scale} onZoom={setZoom} />
    </div>
  );
}

function ArrowHead(): JSX.Element {
  return (
    <defs>
      <marker
        id="arrow"
        viewBox="0 0 8 8"
        refX="7"
        refY="4"
        markerWidth="7"
        markerHeight="7"
        orient="auto"
      >
        <path d="M0,0.5L7.5,4L0,7.5Z" />
      </marker>
    </defs>
  );
}

interface NamedLink extends Link {
  /** The keys of the routes that lead along it; empty for what only waits. */
  readonly label: string;
  readonly labelWidth: number;
  /** Whether it leads to what stands beside the order. */
  readonly isAside: boolean;
}

function toNode({ path }: OutlineStep) {
  return { id: path, width: NODE_WIDTH, height: NODE_HEIGHT };
}

/** One line joins two steps, however much leads along it. */
function linksOf({ report: { graph }, outline, history }: RunModel): readonly NamedLink[] {
  const routes = Map.groupBy(graph.edges, ({ from, kind }) => (kind === "route" ? from : ""));
  const isPlain = ({ from, label }: GraphEdge) =>
    label === "next" && routes.get(from)?.length === 1;
  const between = Map.groupBy(graph.edges, keyOf);
  const planned = [...between.values()].flatMap((edges) => {
    const [edge] = edges;
    if (edge === undefined) return [];
    const named = edges.filter((each) => each.kind === "route" && !isPlain(each));
    const names = new Set(named.flatMap(({ label }) => label ?? []));
    return [toLink(edge, [...names].join(", "), edges.some(isAside))];
  });
  const ids = new Set(graph.nodes.map(({ id }) => id));
  const rounds = roundLinks(outline, ids, history.attempts);
  return [...planned, ...rounds.map((link) => toLink(link, "", link.kind === "inside"))];
}

function toLink({ from, to }: Link, names: string, isBeside: boolean): NamedLink {
  const label = shortenTo(MAX_LABEL_CHARS, toVisibleText(names));
  return { from, to, label, labelWidth: label.length * LABEL_CHAR_PX, isAside: isBeside };
}

function isSeen(place: Point, { left, top, width, height }: Viewport, scale: number): boolean {
  const near = 400;
  const [x, y] = [place.x * scale, place.y * scale];
  return x > left - near && x < left + width + near && y > top - near && y < top + height + near;
}

interface EdgesProps {
  readonly model: RunModel;
  readonly layout: GraphLayout<NamedLink>;
  readonly direction: GraphDirection;
}

function Edges({ model, layout, direction }: EdgesProps): JSX.Element {
  const paths = useMemo(
    () => layout.lines.map((line) => ({ ...line, path: linePath(line, direction) })),
    [layout, direction],
  );
  const passed = new Set(
    model.moment.value.steps.flatMap(({ path, look }) =>
      look === "completed" || look === "skipped" ? [path] : [],
    ),
  );
  const kindOf = ({ link: { from, isAside: isBeside }, isBack }: PlacedLine<NamedLink>) => {
    if (isBack || isBeside) return "edge aside";
    return passed.has(from) ? "edge passed" : "edge";
  };
  return (
    <g aria-hidden>
      {paths.map((line) => (
        <path key={keyOf(line.link)} class={kindOf(line)} d={line.path} marker-end="url(#arrow)" />
      ))}
      {paths.map(({ link, label }) =>
        link.label === "" ? null : (
          <text key={keyOf(link)} class="edge-label" x={label.x} y={label.y + 4}>
            {link.label}
          </text>
        ),
      )}
    </g>
  );
}

function keyOf({ from, to }: Link): string {
  return `${from}\n${to}`;
}
