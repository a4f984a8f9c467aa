import type { JournalEvent } from "../../contracts/events/event.ts";
import { findAgent } from "../../fold/state/agent-lookup.ts";
import type { RunState } from "../../fold/state/run-state.ts";

/** What a reader of the log wants to see; absent means everything. */
export interface Concern {
  readonly agent?: string;
  readonly step?: string;
}

/** Whether an event is about the agent and about the step. `state` is the run before it. */
export function concerns(event: JournalEvent, wanted: Concern, state: RunState): boolean {
  const { agent, step } = wanted;
  if (agent !== undefined && !isOfAgent(event, agent)) return false;
  return step === undefined || isOfStep(event, step, state);
}

/** Whether an event is about an agent, or a message from or to it, in any case of letters. */
export function isOfAgent(event: JournalEvent, agent: string): boolean {
  const wanted = agent.toLowerCase();
  if ("agent" in event) return event.agent?.toLowerCase() === wanted;
  if (event.type !== "message-posted") return false;
  const { from, to = [], mentions } = event;
  return [from, ...to, ...mentions].some((name) => name.toLowerCase() === wanted);
}

function isOfStep(event: JournalEvent, step: string, state: RunState): boolean {
  if ("path" in event && "execution" in event)
    return event.path === step || event.step === step || event.step.startsWith(`${step} (`);
  if ("turn" in event && "agent" in event && event.turn !== undefined) {
    const turn = findAgent(state, event.agent)?.turns.get(event.turn);
    const address = event.type === "turn-started" ? event.step : turn?.step;
    return address?.path === step || address?.id === step;
  }
  return "step" in event && event.step === step;
}
