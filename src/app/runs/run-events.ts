import type { JournalEvent } from "../../contracts/events/event.ts";
import type { Message } from "../../contracts/message.ts";
import type { Journal } from "../../contracts/ports/store.ts";
import { fold } from "../../fold/fold.ts";
import { emptyRunState, type RunState } from "../../fold/state/run-state.ts";
import { wholeText } from "../../messaging/message-body.ts";
import type { Machine } from "../machine/machine.ts";

/** The events of a run that are durable by now with their whole texts, read without owning it. Raises RUN_NOT_FOUND, STORE_* errors. */
export function readEvents(machine: Machine, run: string): readonly JournalEvent[] {
  return [...walkEvents(machine, run)];
}

/** The same one after the other, for whoever does not need all of them at once. Events before a damaged one are handed out. */
export function* walkEvents(machine: Machine, run: string): Generator<JournalEvent> {
  const journal = machine.store.open(run, "read");
  try {
    for (const event of journal.read()) yield withWholeText(journal, event);
  } finally {
    journal.close();
  }
}

// What is asked for is mostly near the end, and of a part that is read all is checked and held.
const EVENTS_PER_PART = 256;

/** The same from the last one back, reading no more of the run than is taken, and a few that lie before. */
export function* walkBack(machine: Machine, run: string): Generator<JournalEvent> {
  const journal = machine.store.open(run, "read");
  try {
    for (let end = journal.lastSeq(); end > 0; end -= EVENTS_PER_PART)
      for (const event of readPart(journal, end).toReversed()) yield withWholeText(journal, event);
  } finally {
    journal.close();
  }
}

/** The events up to `end`, without those of the parts before. */
function readPart(journal: Pick<Journal, "read">, end: number): readonly JournalEvent[] {
  const events: JournalEvent[] = [];
  for (const event of journal.read(Math.max(0, end - EVENTS_PER_PART))) {
    events.push(event);
    if (event.seq === end) break;
  }
  return events;
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

// Agents and the fold of an owner have the beginning of a long message. Whoever reads a run gets all of it.

/** The event with the whole text of its message, if it has one and the journal still holds it. */
export function withWholeText(journal: Pick<Journal, "blob">, event: JournalEvent): JournalEvent {
  if (event.type !== "message-posted" || event.body === undefined) return event;
  return { ...event, text: wholeText({ textOf: (ref) => journal.blob(ref) }, event) };
}

/** The same, for an event of a run that need not be open. Raises RUN_NOT_FOUND and STORE_* errors. */
export function lookUpWholeText(machine: Machine, run: string, event: JournalEvent): JournalEvent {
  if (event.type !== "message-posted" || event.body === undefined) return event;
  const journal = machine.store.open(run, "read");
  try {
    return withWholeText(journal, event);
  } finally {
    journal.close();
  }
}

/** The message with its whole text. */
export function wholeMessage(journal: Pick<Journal, "blob">, message: Message): Message {
  if (message.body === undefined) return message;
  return { ...message, text: wholeText({ textOf: (ref) => journal.blob(ref) }, message) };
}
