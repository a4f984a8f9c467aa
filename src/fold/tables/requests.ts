import type { FoldTable } from "./fold-table.ts";

/** Tool calls that the program has to close. */
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
  "request-answered": (state, event) => {
    state.requests.delete(event.request);
  },
};
