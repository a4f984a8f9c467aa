import type { JournalEvent } from "../../contracts/events/event.ts";

/** The files that agents said to have changed, each once, by their paths from where the agent worked. */
export function changedFiles(events: readonly JournalEvent[]): readonly string[] {
  const places = new Map<string, string>();
  const files = new Set<string>();
  let cwd = "";
  for (const event of events) {
    if (event.type === "run-created") cwd = event.cwd;
    else if (event.type === "agent-spawned") places.set(event.agent, event.spec.cwd ?? cwd);
    else if (event.type === "agent-placed") places.set(event.agent, event.directory);
    else if (event.type === "file-changed")
      files.add(within(event.path, places.get(event.agent) ?? cwd));
  }
  return [...files];
}

function within(path: string, directory: string): string {
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
}
