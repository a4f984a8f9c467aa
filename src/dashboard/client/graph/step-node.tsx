import type { JSX } from "preact";
import { formatDuration } from "../../../foundation/duration.ts";
import type { Point } from "../../../foundation/graph-layout.ts";
import { toVisibleText } from "../../../foundation/printable.ts";
import { LOOK_WORDS, type Look } from "../model/look.ts";
import type { RunModel } from "../model/run-model.ts";
import type { OutlineView } from "../model/run-outline.ts";
import { lookPath } from "../ui/look-icon.tsx";

/** Size of every node, in px. */
export const NODE_WIDTH = 170;
export const NODE_HEIGHT = 52;
const RING = 5;
const MAX_NAME_CHARS = 16;

interface NodeProps {
  readonly step: OutlineView;
  readonly place: Point;
  readonly model: RunModel;
}

/** A step of the drawing as a link to its details, in the shape and words of its state. */
export function StepNode({ step, place, model }: NodeProps): JSX.Element {
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
          {shortenTo(MAX_NAME_CHARS, name)}
        </text>
        <text class="note" x={40} y={40}>
          {shortenTo(MAX_NAME_CHARS, noteOf(step, words))}
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

/** A text of at most so many characters, with a mark where it was cut. */
export function shortenTo(maxChars: number, text: string): string {
  return text.length > maxChars ? `${text.slice(0, maxChars - 1).toWellFormed()}…` : text;
}

const CUT = 12;

/** The outline of a node as the `d` of an SVG path: what failed has cut corners, what needs a person has points. */
function nodeOutline(look: Look, width: number, height: number): string {
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
