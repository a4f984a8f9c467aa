import { z } from "zod";
import { readEntry, type SessionEntry } from "../../agents/backends/model/loop/entry.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import type { SessionRecordEvent } from "../../contracts/events/session-events.ts";

/** An event that tells that a session has written something of itself down. */
export type RecordEvent = JournalEvent & SessionRecordEvent;

/** Whether an event tells that a session has written something of itself down. */
export function isRecordEvent(event: JournalEvent): event is RecordEvent {
  const { type } = event;
  return type === "model-called" || type === "context-compacted" || type === "session-noted";
}

// Reading the entry tells whether it is one.
const linkSchema = z.object({ entry: z.unknown() });

/** What a session wrote down at an event; undefined where its text is gone. */
export function recordedEntry(
  { ref }: SessionRecordEvent,
  textOf: (ref: string) => string | undefined,
): SessionEntry | undefined {
  const text = textOf(ref);
  const link = text === undefined ? undefined : linkSchema.safeParse(JSON.parse(text)).data;
  return link === undefined ? undefined : readEntry(link.entry);
}
