import type { PagePoint } from "./graph-layout.ts";

/** The `d` of an SVG path through the points: straight through layers, in soft curves between them. */
export function edgePath(points: readonly PagePoint[], direction: "right" | "down"): string {
  const [start, ...rest] = points;
  if (start === undefined) return "";
  let from = start;
  const parts = [`M${show(from)}`];
  for (const point of rest) {
    parts.push(curve(from, point, direction));
    from = point;
  }
  return parts.join("");
}

function curve(from: PagePoint, to: PagePoint, direction: "right" | "down"): string {
  const isStraight = direction === "right" ? from.y === to.y : from.x === to.x;
  if (isStraight) return `L${show(to)}`;
  const [middleX, middleY] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
  const [first, second] =
    direction === "right"
      ? [
          { x: middleX, y: from.y },
          { x: middleX, y: to.y },
        ]
      : [
          { x: from.x, y: middleY },
          { x: to.x, y: middleY },
        ];
  return `C${show(first)} ${show(second)} ${show(to)}`;
}

function show({ x, y }: PagePoint): string {
  return `${round(x)},${round(y)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
