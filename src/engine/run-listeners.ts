import type { JournalEvent } from "../contracts/event.ts";

/** How a run and its process part, for those who have to end things first. */
export type StopKind = "suspended" | "ended";

/** Who wants to hear what of a run. */
export interface RunListeners {
  readonly appended: Set<(event: JournalEvent) => void>;
  readonly scopeOver: ((path: string) => void)[];
  readonly live: (() => void)[];
  readonly stopping: ((stop: StopKind) => Promise<void>)[];
}

/** No listeners yet. */
export function createRunListeners(): RunListeners {
  return { appended: new Set(), scopeOver: [], live: [], stopping: [] };
}
