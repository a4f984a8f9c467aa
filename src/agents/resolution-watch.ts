import type { JournalEvent } from "../contracts/events/event.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import type { InboxResolution } from "../fold/state/inbox-state.ts";

/** Tells what people decided about approvals, permissions and questions, whenever that was. */
export interface ResolutionWatch {
  /** Resolves with the decision about an item, made before or after. */
  of(id: string): Promise<InboxResolution>;
}

/** Watches a run's resolutions. */
export function createResolutionWatch(runtime: RunRuntime): ResolutionWatch {
  const waiters = new Map<string, PromiseWithResolvers<InboxResolution>>();
  runtime.onAppended((event) => {
    const id = idOf(event);
    const resolution = id === undefined ? undefined : runtime.state.resolved.get(id);
    if (id === undefined || resolution === undefined) return;
    waiters.get(id)?.resolve(resolution);
    waiters.delete(id);
  });
  return {
    of: (id) => {
      const known = runtime.state.resolved.get(id);
      if (known !== undefined) return Promise.resolve(known);
      // Several calls may wait for the same decision.
      const waiter = waiters.get(id) ?? Promise.withResolvers<InboxResolution>();
      waiters.set(id, waiter);
      return waiter.promise;
    },
  };
}

function idOf(event: JournalEvent): string | undefined {
  if (event.type === "approval-resolved") return event.approval;
  const isAnswer = event.type === "permission-resolved" || event.type === "question-answered";
  return isAnswer ? event.id : undefined;
}
