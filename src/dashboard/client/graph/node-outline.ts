import type { GraphNodeStatus } from "../../../contracts/graph.ts";

const CUT = 12;

/** The outline of a node as the `d` of an SVG path: what failed has cut corners, what needs a person has points. */
export function nodeOutline(look: GraphNodeStatus, width: number, height: number): string {
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
