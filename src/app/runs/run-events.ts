import type { JournalEvent } from "../../contracts/events/event.ts";
import { fold } from "../../fold/fold.ts";
import { emptyRunState, type RunState } from "../../fold/state/run-state.ts";
import type { Machine } from "../machine/machine.ts";
import { lookUpWholeText, withWholeText } from "./whole-texts.ts";

/** The events of a run that are durable by now with their whole texts, read without owning it. Raises RUN_NOT_FOUND, STORE_* errors. */
export function readEvents(machine: Machine, run: string): readonly JournalEvent[] {
  const journal = machine.store.open(run, "read");
  try {
    return Array.from(journal.read(), (event) => withWholeText(journal, event));
  } finally {
    journal.close();
  }
}

/** The state of a run as it was before the event `seq`. Raises what readEvents raises. */
export function stateBefore(machine: Machine, run: string, seq: number): RunState {
  const state = emptyRunState(run);
  if (seq === 1) return state;
  const journal = machine.store.open(run, "read");
  try {
    for (const event of journal.read()) {
      if (event.seq >= seq) break;
      fold(state, event);
    }
    return state;
  } finally {
    journal.close();
  }
}

/** Hands out the events of a run after `afterSeq`, with their whole texts, as they become durable, until the signal aborts. */
export async function* followEvents(
  machine: Machine,
  run: string,
  { afterSeq, signal }: { readonly afterSeq: number; readonly signal: AbortSignal },
): AsyncGenerator<JournalEvent> {
  const follower = machine.store.follow(run, afterSeq);
  try {
    while (!signal.aborted)
      for (const event of await nextEvents(follower, signal))
        yield lookUpWholeText(machine, run, event);
  } finally {
    follower.close();
  }
}

async function nextEvents(
  follower: ReturnType<Machine["store"]["follow"]>,
  signal: AbortSignal,
): Promise<readonly JournalEvent[]> {
  try {
    return await follower.next(signal);
  } catch (error) {
    if (signal.aborted) return [];
    throw error;
  }
}
