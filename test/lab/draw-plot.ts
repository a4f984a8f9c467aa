import { areaY, dot, lineY, plot, text } from "@observablehq/plot";
import { parseHTML } from "linkedom";
import type { Line, Plot } from "./experiment.ts";

const SIZE = { width: 640, height: 360, marginLeft: 52, marginRight: 150, marginBottom: 40 };
const WHITE = '<rect width="640" height="360" fill="white"/>';

/** A plot as the text of an SVG file: laws dashed, what was found with its bounds and its name. */
export function drawPlot({ x, y, lines }: Plot): string {
  const { document } = parseHTML("<html><body></body></html>");
  const points = lines.flatMap(({ label, points: all, isLaw }) =>
    all.map((point) => ({ ...point, label, isLaw })),
  );
  const found = points.filter(({ isLaw }) => !isLaw);
  const channels = { x: "x", y: "value", stroke: "label" };
  const drawn = plot({
    document,
    ...SIZE,
    style: { fontSize: "12px", color: "black" },
    x: { label: x.label, type: x.type ?? "linear", grid: true },
    y: { label: y.label, type: y.type ?? "linear", grid: true },
    color: { domain: lines.map(({ label }) => label), range: coloursOf(lines) },
    marks: [
      areaY(found, { x: "x", y1: "low", y2: "high", fill: "label", fillOpacity: 0.15 }),
      lineY(
        points.filter(({ isLaw }) => isLaw),
        { ...channels, strokeDasharray: "5,4" },
      ),
      lineY(found, channels),
      dot(found, { x: "x", y: "value", fill: "label", r: 3 }),
      text(lastOf(lines), { ...NAMING, x: "x", y: "value", text: "label", fill: "label" }),
    ],
  });
  const svg = drawn.outerHTML.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ');
  return `${svg.replace("</style>", `</style>${WHITE}`)}\n`;
}

const NAMING = { dx: 8, textAnchor: "start", lineWidth: 13 } as const;

/** Where each line that was found ends, for its name. */
function lastOf(lines: readonly Line[]) {
  return lines
    .filter(({ isLaw }) => !isLaw)
    .flatMap(({ label, points }) => points.slice(-1).map((point) => ({ ...point, label })));
}

const COLOURS = ["#1f6fb4", "#c2410c", "#15803d", "#7c3aed"];

/** A colour for each line that was found; a law has that of the line before it where each has one of its own. */
function coloursOf(lines: readonly Line[]): readonly string[] {
  let count = -1;
  return lines.map(({ isLaw }) => {
    if (!isLaw) count += 1;
    return isLaw && lines.filter((line) => line.isLaw).length === 1
      ? "#444444"
      : (COLOURS[Math.max(0, count) % COLOURS.length] ?? "#444444");
  });
}
