import type { Trajectory } from "../../contracts/trajectory.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";

/** All that a trajectory tells, one line each, in the order of time. */
export function trajectoryTimeline({ chapters }: Trajectory): string {
  const told = chapters.flatMap(({ title, events }) =>
    events.map(({ ts, type, content }) => ({ ts, line: `[${title}] ${type}: ${content}` })),
  );
  const lines = told
    .toSorted((left, right) => left.ts - right.ts)
    .map(({ ts, line }) => `${toIsoTime(ts)} ${line.replace(/\s+/g, " ").trim()}`);
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}
