import type { RunStore } from "../../../contracts/ports/store.ts";
import type { WaitingItem } from "../../../contracts/run.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { waitingItems } from "../../../fold/waiting.ts";
import { TroupeError } from "../../../foundation/errors.ts";
import { readState } from "../run-lookup.ts";

/**
 * A run with what the runs below it ask by now. What it knows itself is what they told it: a decision that was made
 * while nobody carried them out is in their own journals alone.
 */
export function hearChildren(store: RunStore, state: RunState): RunState {
  const { children, phase } = state;
  const asking = [...children.values()].filter(({ waitingFor }) => waitingFor.length > 0);
  const told = phase.status === "suspended" ? phase.waitingFor : [];
  if (asking.length === 0 && told.every(({ run }) => run === undefined)) return state;
  const openIn = new Map<string, ReadonlySet<string> | undefined>();
  const isOpen = ({ id, run }: WaitingItem) => {
    if (run === undefined) return true;
    if (!openIn.has(run)) openIn.set(run, openItems(store, run));
    return openIn.get(run)?.has(id) ?? true;
  };
  const heard = asking.map(
    (child) => [child.op, { ...child, waitingFor: child.waitingFor.filter(isOpen) }] as const,
  );
  return {
    ...state,
    children: new Map([...children, ...heard]),
    phase: phase.status === "suspended" ? { ...phase, waitingFor: told.filter(isOpen) } : phase,
  };
}

/** Ids of what a run asks; undefined when its journal cannot be read. */
function openItems(store: RunStore, run: string): ReadonlySet<string> | undefined {
  try {
    return new Set(waitingItems(readState(store, run)).map(({ id }) => id));
  } catch (error) {
    if (error instanceof TroupeError) return undefined;
    throw error;
  }
}
