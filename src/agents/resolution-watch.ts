import type { RunRuntime } from "../engine/run-runtime.ts";
import type { InboxResolution } from "../fold/state/inbox-state.ts";

/** Tells what people decided about permissions and questions, whenever that was. */
export interface ResolutionWatch {
  /** Resolves with the decision about an item, made before or after. */
  of(id: string): Promise<InboxResolution>;
}

/** Watches a run's resolutions. */
export function createResolutionWatch(runtime: RunRuntime): ResolutionWatch {
  const waiters = new Map<string, (resolution: InboxResolution) => void>();
  runtime.onAppended((event) => {
    if (event.type !== "permission-resolved" && event.type !== "question-answered") return;
    const resolution = runtime.state.resolved.get(event.id);
    if (resolution === undefined) return;
    waiters.get(event.id)?.(resolution);
    waiters.delete(event.id);
  });
  return {
    of: (id) => {
      const known = runtime.state.resolved.get(id);
      return known === undefined
        ? new Promise((resolve) => waiters.set(id, resolve))
        : Promise.resolve(known);
    },
  };
}
