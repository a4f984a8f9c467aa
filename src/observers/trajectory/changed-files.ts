import type { JournalEvent } from "../../contracts/events/event.ts";
import type { TrajectoryTrace } from "../../contracts/trajectory.ts";
import { sha256 } from "../../foundation/hash.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import { present } from "../../foundation/present.ts";

/** Files that agents said to have changed, by their paths from where the agent worked, with who did. */
export type ChangedFiles = ReadonlyMap<string, ReadonlySet<string>>;

const MAX_MODEL_CHARS = 250;

/** The files in the order of their first changes. */
export function changedFilesOf(events: readonly JournalEvent[]): ChangedFiles {
  const places = new Map<string, string>();
  const files = new Map<string, Set<string>>();
  let cwd = "";
  for (const event of events) {
    if (event.type === "run-created") cwd = event.cwd;
    else if (event.type === "agent-spawned") places.set(event.agent, event.spec.cwd ?? cwd);
    else if (event.type === "agent-placed") places.set(event.agent, event.directory);
    else if (event.type === "file-changed") {
      const path = within(event.path, places.get(event.agent) ?? cwd);
      files.set(path, (files.get(path) ?? new Set()).add(event.agent));
    }
  }
  return files;
}

/** Names the trace of a trajectory. */
export function traceIdOf(trajectory: string): string {
  return `trace_${sha256(trajectory).slice(0, 12)}`;
}

/**
 * Who has changed which files, as agent-trajectories traces it; undefined where nobody has. Lines are not told: the
 * journal knows files alone.
 */
export function traceOf(
  events: readonly JournalEvent[],
  { id, at }: { readonly id: string; readonly at: number },
): TrajectoryTrace | undefined {
  const files = changedFilesOf(events);
  if (files.size === 0) return undefined;
  const models = modelsOf(events);
  return {
    version: "1.0.0",
    id: traceIdOf(id),
    timestamp: toIsoTime(at),
    trajectory: id,
    files: [...files].map(([path, agents]) => ({
      path,
      conversations: [...agents].map((agent) => {
        const model = models.get(agent)?.slice(0, MAX_MODEL_CHARS);
        return { contributor: { type: "ai", ...present({ model_id: model }) }, ranges: [] };
      }),
    })),
  };
}

function modelsOf(events: readonly JournalEvent[]): ReadonlyMap<string, string> {
  return new Map(
    events.flatMap((event) =>
      event.type === "agent-spawned" && event.spec.model !== undefined
        ? [[event.agent, event.spec.model] as const]
        : [],
    ),
  );
}

function within(path: string, directory: string): string {
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
}
