import type { JournalEvent } from "../../../contracts/events/event.ts";
import type { Message } from "../../../contracts/message.ts";
import type { Journal } from "../../../contracts/ports/store.ts";
import type { ReflectionEvent } from "../../../contracts/reflection.ts";
import { findRecent } from "../../../fold/state/message-source.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { toIsoTime } from "../../../foundation/iso-time.ts";
import { isRecord } from "../../../foundation/json.ts";
import { wholeMessage } from "../../runs/run-events.ts";

/** What a caller wants to hear while a run goes on. Called for live, durable events only, never in replay. */
export interface RunHooks {
  /** An agent has posted a message; it comes with its whole text. */
  readonly onMessage?: (agent: string, message: Message) => void;
  /** An agent's step is over; without a summary it has failed. */
  readonly onAgentDone?: (agent: string, summary: string | undefined) => void;
  /** The full text that an agent is given, with its conventions. */
  readonly onTaskAugmented?: (agent: string, text: string) => void;
  /** The work so far was reflected on. */
  readonly onReflectionComplete?: (reflection: ReflectionEvent) => void;
}

/** Tells the hooks about durable events. */
export function callHooks(
  hooks: RunHooks,
  events: readonly JournalEvent[],
  { state, journal }: { readonly state: RunState; readonly journal: Pick<Journal, "blob"> },
): void {
  for (const event of events) {
    if (event.type === "message-posted" && state.agents.has(event.from)) {
      const message = findRecent(state, event.id);
      if (message !== undefined) hooks.onMessage?.(event.from, wholeMessage(journal, message));
    } else if (event.type === "step-completed" && event.agent !== undefined) {
      hooks.onAgentDone?.(event.agent, event.output);
    } else if (event.type === "step-failed" && event.agent !== undefined) {
      hooks.onAgentDone?.(event.agent, undefined);
    } else if (event.type === "reflection-made") {
      const { by, synthesis, focalPoints, adjustments, confidence, at } = event;
      const made = { by, synthesis, focalPoints, adjustments, confidence };
      hooks.onReflectionComplete?.({ ts: toIsoTime(at), ...made });
    } else if (
      event.type === "operation-scheduled" &&
      event.kind === "turn" &&
      isRecord(event.input)
    ) {
      const { agent, prompt } = event.input;
      if (typeof agent === "string" && typeof prompt === "string")
        hooks.onTaskAugmented?.(agent, prompt);
    }
  }
}

/** Whether an event belongs to a transcript: that of an agent which is a model, or of one that another has spawned. */
export function isTranscribed(event: JournalEvent, { agents }: RunState): boolean {
  const { type } = event;
  if (type === "model-called" || type === "session-noted") return true;
  if (!("agent" in event) || typeof event.agent !== "string") return false;
  return agents.get(event.agent)?.spec.spawnedBy !== undefined;
}
