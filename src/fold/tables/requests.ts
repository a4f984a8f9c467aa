import type { RunState } from "../state/run-state.ts";
import type { FoldTable } from "./fold-table.ts";

/** Tool calls that the program has to close, and its answers for as long as their turn may ask again. */
export const requestTable: FoldTable = {
  "request-received": (state, event) => {
    const { request, agent, turn, tool, seq } = event;
    state.requests.set(request, {
      request,
      agent,
      turn,
      tool,
      arguments: event.arguments,
      seq,
    });
  },
  "request-answered": (state, { request, value, isError }) => {
    const asked = state.requests.get(request);
    state.requests.delete(request);
    if (asked === undefined) return;
    const { agent, turn } = asked;
    state.requestAnswers.set(request, { agent, turn, value, isError });
  },
  "turn-completed": (state, event) => forget(state, event),
  "turn-failed": (state, event) => forget(state, event),
};

interface EndedTurn {
  readonly agent: string;
  readonly turn: number;
}

/** Nobody asks again for a turn that is over. */
function forget(state: RunState, { agent, turn }: EndedTurn): void {
  for (const [request, asked] of state.requests)
    if (asked.agent === agent && asked.turn === turn) state.requests.delete(request);
  for (const [request, answer] of state.requestAnswers)
    if (answer.agent === agent && answer.turn === turn) state.requestAnswers.delete(request);
}
