import type { JournalEvent } from "../../contracts/events/event.ts";
import type { Message } from "../../contracts/message.ts";
import type { Journal } from "../../contracts/ports/store.ts";
import { wholeText } from "../../messaging/message-body.ts";
import type { Machine } from "../machine/machine.ts";

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
