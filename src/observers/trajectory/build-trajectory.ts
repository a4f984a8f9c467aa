import type { EventOf, JournalEvent } from "../../contracts/events/event.ts";
import type { Trajectory, TrajectorySpec } from "../../contracts/trajectory.ts";
import { foldAll } from "../../fold/fold.ts";
import { sha256 } from "../../foundation/hash.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import { present } from "../../foundation/present.ts";
import { changedFilesOf, traceIdOf } from "./changed-files.ts";
import { toldChapters } from "./chapters.ts";
import { clipText } from "./clip-text.ts";
import { retrospectiveOf } from "./retrospective.ts";

const MAX_TITLE_CHARS = 500;

/** What a run is told by when its workflow says nothing of trajectories. */
export const DEFAULT_TRAJECTORY: TrajectorySpec = {
  agentName: "workflow-orchestrator",
  autoRecordMessages: true,
  autoRecordReflections: true,
};

/** The same in every process, another one for every run anywhere. */
function trajectoryIdOf(run: string, seed: string): string {
  return `traj_${sha256(JSON.stringify([run, seed])).slice(0, 12)}`;
}

/**
 * The story of a run so far, from its events alone: the same events tell the same story. `all` begin with
 * `run-created`, and what nobody else may see has been taken out of them.
 */
export function buildTrajectory(
  all: readonly JournalEvent[],
  run: string,
  spec: TrajectorySpec,
): Trajectory {
  const events = withoutRepeated(all);
  const created = events.find((event) => event.type === "run-created");
  if (created === undefined) throw new Error(`${run} has no beginning`);
  const state = foldAll(run, events);
  const ended = lastEnd(events);
  const { chapters, decisions } = toldChapters(events, { run, spec });
  const id = trajectoryIdOf(run, created.seed);
  const retrospective = ended && retrospectiveOf({ events, state, decisions, ended });
  const startRef = created.repository?.commit ?? undefined;
  const files = changedFilesOf(events);
  const traceId = files.size === 0 ? undefined : traceIdOf(id);
  return {
    id,
    version: 1,
    task: taskOf(created, spec),
    status: statusOf(ended),
    startedAt: toIsoTime(created.at),
    ...present({ completedAt: ended && toIsoTime(ended.at) }),
    agents: [
      {
        name: spec.agentName,
        role: "lead",
        joinedAt: toIsoTime(created.at),
        ...present({ leftAt: ended && toIsoTime(ended.at) }),
      },
      ...participants(events),
    ],
    chapters: [...chapters],
    ...present({ retrospective }),
    commits: events.flatMap((event) =>
      event.type === "place-settled" && event.commit !== undefined ? [event.commit] : [],
    ),
    filesChanged: [...files.keys()],
    // Whoever gathers the trajectories of one piece of work goes by this id.
    workflowId: created.parent?.run ?? run,
    tags: ["troupe", created.workflow],
    ...present({
      _trace: startRef === undefined ? undefined : { startRef, ...present({ traceId }) },
    }),
  };
}

/** Without the signals of which reflections were made: those tell the same, and what came of it. */
function withoutRepeated(events: readonly JournalEvent[]): readonly JournalEvent[] {
  const made = new Map<string, string[]>();
  for (const event of events)
    if (event.type === "reflection-made")
      made.set(event.by, [...(made.get(event.by) ?? []), event.synthesis]);
  if (made.size === 0) return events;
  return events.filter((event) => {
    if (event.type !== "signal-received" || event.signal.kind !== "reflect") return true;
    const { agent, signal } = event;
    return made.get(agent)?.some((synthesis) => signal.value.startsWith(synthesis)) !== true;
  });
}

/** The end of a run; undefined while it goes on, also after one that it has gone on from. */
function lastEnd(events: readonly JournalEvent[]): EventOf<"run-ended"> | undefined {
  const last = events.findLast(({ type }) => type === "run-ended" || type === "run-resumed");
  return last?.type === "run-ended" ? last : undefined;
}

function statusOf(ended: EventOf<"run-ended"> | undefined): Trajectory["status"] {
  if (ended === undefined) return "active";
  return ended.outcome === "completed" ? "completed" : "abandoned";
}

function taskOf(
  { task = "", workflow }: EventOf<"run-created">,
  { taskSource }: TrajectorySpec,
): Trajectory["task"] {
  const [line = ""] = task.trim().split("\n");
  const title = clipText(line, workflow, MAX_TITLE_CHARS);
  return {
    title,
    ...present({
      description: task.trim() === title || task.trim() === "" ? undefined : task,
      source: taskSource,
    }),
  };
}

function participants(events: readonly JournalEvent[]): readonly Trajectory["agents"][number][] {
  const found = new Map<string, Trajectory["agents"][number]>();
  for (const event of events) {
    if (event.type === "agent-spawned") {
      const { agent: name, spec, at } = event;
      const { leftAt: _, ...known } = found.get(name) ?? {
        ...{ name, role: spec.role ?? "worker", joinedAt: toIsoTime(at) },
      };
      found.set(name, known);
    } else if (event.type === "agent-exited") {
      const known = found.get(event.agent);
      if (known !== undefined) found.set(event.agent, { ...known, leftAt: toIsoTime(event.at) });
    }
  }
  return [...found.values()];
}
