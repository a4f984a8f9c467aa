import type { TrajectorySpec } from "../../contracts/trajectory.ts";
import { present } from "../../foundation/present.ts";

/** Whether and how runs leave a trajectory, in a file or in code. */
export interface TrajectoryOptions {
  /** Whether every run leaves one when it ends. Defaults to true. */
  readonly enabled?: boolean | undefined;
  /** Who has led the work, as the trajectory tells it. Defaults to `workflow-orchestrator`. */
  readonly agentName?: string | undefined;
  /** What the work is done for: the system, such as `github`, its name there, and where it can be read. */
  readonly taskSource?:
    | { readonly system: string; readonly id: string; readonly url?: string | undefined }
    | undefined;
  /** Directory of the project for all trajectories. Defaults to TRAJECTORIES_DATA_DIR, else `.agentworkforce/trajectories`. */
  readonly dataDir?: string | undefined;
  /** Whether the trajectory records what agents say. Defaults to true. */
  readonly autoRecordMessages?: boolean | undefined;
  /** Whether the trajectory records reflections of agents. Defaults to true. */
  readonly autoRecordReflections?: boolean | undefined;
  /** Whether agents that plan are told what earlier trajectories say of work like this. Defaults to false. */
  readonly learnFrom?: boolean | undefined;
}

const DEFAULT_AGENT_NAME = "workflow-orchestrator";

/** What a checked file says of trajectories, as a member of its definition; nothing when its runs leave none. */
export function resolveTrajectory(
  entry: (Omit<TrajectoryOptions, "learnFrom"> & { readonly learnFrom?: unknown }) | undefined,
): {
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
      ...present({ learnFrom: entry.learnFrom === true ? (true as const) : undefined }),
    },
  };
}

function toSource({ system, id, url }: NonNullable<TrajectoryOptions["taskSource"]>) {
  return { system, id, ...present({ url }) };
}
