import type { SessionRecordEvent } from "../../contracts/events/session-events.ts";
import { addUsage } from "../../contracts/usage.ts";
import { findTurn } from "../state/agent-lookup.ts";
import type { RunState } from "../state/run-state.ts";
import type { FoldTable } from "./fold-table.ts";

/** How far sessions have written themselves down. */
export const sessionRecordTable: FoldTable = {
  "model-called": (state, event) => {
    advance(state, event);
    const turn = findTurn(state, event.agent, event.turn);
    if (turn !== undefined) turn.answered = addUsage(turn.answered, event.usage ?? {});
  },
  "context-compacted": (state, event) => advance(state, event),
  "session-noted": (state, event) => advance(state, event),
};

function advance({ agents }: RunState, event: SessionRecordEvent): void {
  const agent = agents.get(event.agent);
  const resume = agent?.sessions.get(event.session)?.resume;
  if (agent !== undefined && resume !== undefined) agent.records.set(resume, event.ref);
}
