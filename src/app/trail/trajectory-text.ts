import type { Trajectory } from "../../contracts/trajectory.ts";
import {
  decisionsMarkdown,
  trajectoryMarkdown,
} from "../../observers/trajectory/trajectory-markdown.ts";
import { trajectoryTimeline } from "../../observers/trajectory/trajectory-timeline.ts";

/** The forms in which a trajectory can be had. */
export type TrajectoryFormat = "md" | "json" | "timeline" | "decisions";

/** A trajectory as a text that ends in a line end; of `decisions`, empty where nothing was decided. */
export function trajectoryText(trajectory: Trajectory, format: TrajectoryFormat): string {
  switch (format) {
    case "md":
      return trajectoryMarkdown(trajectory);
    case "json":
      return `${JSON.stringify(trajectory, null, 2)}\n`;
    case "timeline":
      return trajectoryTimeline(trajectory);
    case "decisions":
      return decisionsMarkdown(trajectory);
  }
}
