import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { type GraphNodeStatus, isAside } from "../../../contracts/graph.ts";
import { formatDuration } from "../../../foundation/duration.ts";
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
import { LOOK_WORDS } from "../model/look.ts";
import type { RunModel } from "../model/run-model.ts";
import type { OutlineView } from "../model/run-outline.ts";
import { lookPath } from "../ui/look-icon.tsx";
import { useViewport, type Viewport } from "../ui/use-size.ts";

const NODE_WIDTH = 170;
const NODE_HEIGHT = 52;
const RING = 5;
const MARGIN = 20;
// What does not fit even at the least size that can be read is scrolled at a better one.
const LEAST_SCALE = 0.68;
const SCROLLED_SCALE = 0.85;
// Narrower pages have more room below than beside.
const NARROW_PX = 640;
const MAX_NAME_CHARS = 16;

interface RunGraphProps {
  readonly model: RunModel;
  readonly steps: readonly OutlineView[];
}

/** The steps of the run and what waits for what, each as it is at the moment that is shown. */
export function RunGraph({ model, steps }: RunGraphProps): JSX.Element {
  const [scroller, viewport] = useViewport<HTMLDivElement>();
  const direction = viewport.width < NARROW_PX ? "down" : "right";
  const wrapWidth = Math.max(NODE_WIDTH, viewport.width - 2 * MARGIN);
  const layout = useMemo(() => {
    const nodes = model.outline.map(({ path }) => {
      return { id: path, width: NODE_WIDTH, height: NODE_HEIGHT };
    });
    // One line joins two steps, however much leads along it.
    const links = new Map(
      model.report.graph.edges.map(({ from, to }) => [
        keyOf({ from, to }),
        { from, to, labelWidth: 0 },
      ]),
    );
    return layoutGraph(nodes, [...links.values()], { direction, wrapWidth });
  }, [model, direction, wrapWidth]);
  const [width, height] = [layout.width + 2 * MARGIN, layout.height + 2 * MARGIN];
  const fitting = viewport.width / width;
  const scale = fitting < LEAST_SCALE ? SCROLLED_SCALE : Math.min(1, fitting);
  return (
    <section class="graph" ref={scroller} tabIndex={0} aria-label="Graph">
      <svg
        width={width * scale}
        height={height * scale}
        viewBox={`${-MARGIN} ${-MARGIN} ${width} ${height}`}
        role="presentation"
      >
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
        <Edges model={model} layout={layout} direction={direction} />
        {steps.map((step) => {
          const place = layout.nodes.get(step.path);
          if (place === undefined || !isSeen(place, viewport, scale)) return null;
          return <Node key={step.path} step={step} place={place} model={model} />;
        })}
      </svg>
    </section>
  );
}

function isSeen(place: Point, { left, top, width, height }: Viewport, scale: number): boolean {
  const near = 400;
  const [x, y] = [place.x * scale, place.y * scale];
  return x > left - near && x < left + width + near && y > top - near && y < top + height + near;
}

interface EdgesProps {
  readonly model: RunModel;
  readonly layout: GraphLayout<Link>;
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
  const helping = useMemo(
    () => new Set(model.report.graph.edges.filter(isAside).map(({ to }) => to)),
    [model],
  );
  const kindOf = ({ link: { from, to }, isBack }: PlacedLine<Link>) => {
    if (isBack || helping.has(to)) return "edge aside";
    return passed.has(from) ? "edge passed" : "edge";
  };
  return (
    <g aria-hidden>
      {paths.map((line) => (
        <path key={keyOf(line.link)} class={kindOf(line)} d={line.path} marker-end="url(#arrow)" />
      ))}
    </g>
  );
}

function keyOf({ from, to }: Link): string {
  return `${from}\n${to}`;
}

interface NodeProps {
  readonly step: OutlineView;
  readonly place: Point;
  readonly model: RunModel;
}

function Node({ step, place, model }: NodeProps): JSX.Element {
  const { path, look, kind, name: label } = step;
  const isSelected = model.route.value.step === path;
  const name = toVisibleText(kind === "step" ? path : label);
  const waitsFor = step.after.length === 0 ? "" : `, after ${toVisibleText(step.after.join(", "))}`;
  const words = wordsOf(step);
  return (
    <g transform={`translate(${place.x},${place.y})`}>
      <a
        class={`node look-${look}${isSelected ? " selected" : ""}`}
        href={model.linkTo({ step: isSelected ? undefined : path })}
        aria-label={`${name}, ${words}${waitsFor}`}
      >
        <title>{name}</title>
        <rect
          class="ring"
          x={-RING}
          y={-RING}
          width={NODE_WIDTH + 2 * RING}
          height={NODE_HEIGHT + 2 * RING}
          rx={12}
        />
        <path class="outline" d={nodeOutline(look, NODE_WIDTH, NODE_HEIGHT)} />
        <path class="sign" d={lookPath(look)} transform="translate(14,18)" />
        <text class="name" x={40} y={22}>
          {shorten(name)}
        </text>
        <text class="note" x={40} y={40}>
          {shorten(noteOf(step, words))}
        </text>
      </a>
    </g>
  );
}

function wordsOf({ kind, look }: OutlineView): string {
  if (kind === "barrier") return look === "completed" ? "barrier, open" : "barrier, closed";
  if (kind === "agent") return look === "running" ? "helper, working" : "helper";
  return LOOK_WORDS[look];
}

function noteOf({ state, agent }: OutlineView, words: string): string {
  const lasted =
    state !== undefined && "durationMs" in state ? formatDuration(state.durationMs) : words;
  const tries = (state?.attempt ?? 0) > 1 ? ` · try ${state?.attempt}` : "";
  return `${lasted}${tries}${agent === undefined ? "" : ` · ${toVisibleText(agent)}`}`;
}

function shorten(text: string): string {
  return text.length > MAX_NAME_CHARS
    ? `${text.slice(0, MAX_NAME_CHARS - 1).toWellFormed()}…`
    : text;
}

const CUT = 12;

/** The outline of a node as the `d` of an SVG path: what failed has cut corners, what needs a person has points. */
function nodeOutline(look: GraphNodeStatus, width: number, height: number): string {
  const middle = height / 2;
  if (look === "waiting")
    return `M${CUT},0H${width - CUT}L${width},${middle}L${width - CUT},${height}H${CUT}L0,${middle}Z`;
  if (look === "failed")
    return [
      `M${CUT},0H${width - CUT}L${width},${CUT}V${height - CUT}L${width - CUT},${height}`,
      `H${CUT}L0,${height - CUT}V${CUT}Z`,
    ].join("");
  const round = 8;
  const corner = (x: number, y: number) => `a${round},${round} 0 0 1 ${x},${y}`;
  return [
    `M${round},0H${width - round}${corner(round, round)}V${height - round}`,
    `${corner(-round, round)}H${round}${corner(-round, -round)}V${round}${corner(round, -round)}Z`,
  ].join("");
}
