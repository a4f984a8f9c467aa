import type { TrajectorySpec } from "../../contracts/trajectory.ts";
import { present } from "../../foundation/present.ts";
import type { TrajectoryEntry } from "../schema/trajectory-schema.ts";

const DEFAULT_AGENT_NAME = "workflow-orchestrator";

/** What a checked file says of trajectories, as a member of its definition; nothing when its runs leave none. */
export function resolveTrajectory(entry: TrajectoryEntry | undefined): {
  readonly trajectory?: TrajectorySpec;
} {
  if (entry === undefined || entry.enabled === false) return {};
  const { agentName = DEFAULT_AGENT_NAME, dataDir, taskSource } = entry;
  const { autoRecordMessages = true, autoRecordReflections = true } = entry;
  return {
    trajectory: {
      agentName,
      ...present({ dataDir, taskSource: taskSource && toSource(taskSource) }),
      autoRecordMessages,
      autoRecordReflections,
    },
  };
}

function toSource({ system, id, url }: NonNullable<TrajectoryEntry["taskSource"]>) {
  return { system, id, ...present({ url }) };
}
