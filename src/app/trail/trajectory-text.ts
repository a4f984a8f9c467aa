import type { Trajectory } from "../../contracts/trajectory.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import {
  decisionsMarkdown,
  trajectoryMarkdown,
} from "../../observers/trajectory/trajectory-markdown.ts";

/** The forms in which a trajectory can be had; `markdown` is another name of `md`. */
export type TrajectoryFormat = "md" | "markdown" | "json" | "timeline" | "decisions";

/** A trajectory as a text that ends in a line end; of `decisions`, empty where nothing was decided. */
export function trajectoryText(trajectory: Trajectory, format: TrajectoryFormat): string {
  switch (format) {
    case "md":
    case "markdown":
      return trajectoryMarkdown(trajectory);
    case "json":
      return `${JSON.stringify(trajectory, null, 2)}\n`;
    case "timeline":
      return trajectoryTimeline(trajectory);
    case "decisions":
      return decisionsMarkdown(trajectory);
  }
}

/** All that a trajectory tells, one line each, in the order of time. */
function trajectoryTimeline({ chapters }: Trajectory): string {
  const told = chapters.flatMap(({ title, events }) =>
    events.map(({ ts, type, content }) => ({ ts, line: `[${title}] ${type}: ${content}` })),
  );
  const lines = told
    .toSorted((left, right) => left.ts - right.ts)
    .map(({ ts, line }) => `${toIsoTime(ts)} ${line.replace(/\s+/g, " ").trim()}`);
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}
