/**
 * What a parent knows of its child runs.
 *
 * C1 There is one child per operation; a later one, of a fork, takes the place of the one before.
 * C2 `activity.blockedChildren` is the number of children with an open operation that only people can move on.
 * C3 What a child asks is its own word: nothing of it outlives the owner that heard it.
 */

import type { ChildState } from "../state/child-state.ts";
import type { RunState } from "../state/run-state.ts";
import type { FoldTable } from "./fold-table.ts";

/** Child runs by the operation that wanted them. */
export const childTable: FoldTable = {
  "child-started": (state, event) => {
    const { child, op, workflow, step, path, at: startedAt } = event;
    put(state, {
      ...{ child, op, workflow, step, path, startedAt },
      waitingFor: [],
      isBlocked: false,
      end: undefined,
    });
  },
  "child-waiting": (state, { child, op, waitingFor, isBlocked }) => {
    const known = state.children.get(op);
    if (known?.child !== child || known.end !== undefined) return;
    const isOpen = state.operations.open.has(op);
    put(state, { ...known, waitingFor, isBlocked: isBlocked && isOpen });
  },
  "child-ended": (state, { child, op, outcome, reason, at: endedAt }) => {
    const known = state.children.get(op);
    if (known?.child !== child) return;
    put(state, { ...silent(known), end: { outcome, reason, endedAt } });
  },
  "operation-settled": (state, { op }) => {
    const known = state.children.get(op);
    if (known !== undefined) put(state, silent(known));
  },
  "run-resumed": (state) => {
    for (const known of state.children.values())
      if (known.isBlocked || known.waitingFor.length > 0) put(state, silent(known));
  },
};

function silent(known: ChildState): ChildState {
  return { ...known, waitingFor: [], isBlocked: false };
}

function put(state: RunState, child: ChildState): void {
  const before = state.children.get(child.op);
  state.activity.blockedChildren += Number(child.isBlocked) - Number(before?.isBlocked ?? false);
  if (child.waitingFor.length > 0) state.askingChildren.add(child.op);
  else state.askingChildren.delete(child.op);
  state.children.set(child.op, child);
}
