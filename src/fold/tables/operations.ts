import { closeOperation, openOperation } from "../state/activity.ts";
import type { OpenOperation } from "../state/operation-state.ts";
import type { FoldTable } from "./fold-table.ts";

/** What the program waits for. */
export const operationTable: FoldTable = {
  "operation-scheduled": (state, event) => {
    if (state.operations.open.has(event.op)) return;
    const operation: OpenOperation = {
      op: event.op,
      kind: event.kind,
      input: event.input,
      scheduledAt: event.at,
      seq: event.seq,
      attempt: 1,
      failedAttempts: 0,
      ownerDeaths: 0,
      agent: undefined,
      turn: undefined,
      approval: undefined,
    };
    state.operations.open.set(event.op, operation);
    state.operations.scheduled += 1;
    openOperation(state, operation);
  },
  "operation-attempted": (state, event) => {
    const operation = state.operations.open.get(event.op);
    if (operation === undefined) return;
    operation.attempt = event.attempt;
    operation.ownerDeaths = event.cause === "owner-died" ? operation.ownerDeaths + 1 : 0;
    if (event.cause === "failed") operation.failedAttempts += 1;
  },
  "operation-settled": (state, event) => {
    const operation = state.operations.open.get(event.op);
    if (operation === undefined) return;
    state.operations.open.delete(event.op);
    state.operations.settled[event.outcome.status] += 1;
    closeOperation(state, operation);
  },
};
