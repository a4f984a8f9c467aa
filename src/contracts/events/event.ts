import { toIsoTime } from "../../foundation/iso-time.ts";
import type { AgentEvent } from "./agent-events.ts";
import type { BudgetEvent } from "./budget-events.ts";
import type { ChildEvent } from "./child-events.ts";
import type { CollabEvent } from "./collab-events.ts";
import type { MessagingEvent } from "./message-events.ts";
import type { NoteEvent } from "./note-events.ts";
import type { OperationEvent } from "./operation-events.ts";
import type { PlaceEvent } from "./place-events.ts";
import type { RequestEvent } from "./request-events.ts";
import type { RunEvent } from "./run-events.ts";
import type { SessionRecordEvent } from "./session-events.ts";

/** Version of the stored event format. */
export const EVENT_FORMAT_VERSION = 1;

/** What happened, without its place in the journal. */
export type EventData =
  | RunEvent
  | OperationEvent
  | AgentEvent
  | SessionRecordEvent
  | PlaceEvent
  | BudgetEvent
  | MessagingEvent
  | RequestEvent
  | ChildEvent
  | CollabEvent
  | NoteEvent;

/** Where an event stands in the journal of its run. */
export interface EventPosition {
  /** 1 for the first event, without gaps. */
  readonly seq: number;
  /** Milliseconds since the epoch; a label, never an order. */
  readonly at: number;
}

/** One event of a run's journal. */
export type JournalEvent = EventData & EventPosition;

/** The events of one type. */
export type EventOf<Type extends EventData["type"]> = Extract<EventData, { type: Type }> &
  EventPosition;

/** An event as `--json` prints it and scripts read it: versioned, with an ISO time and the run's id. */
export type WireEvent = {
  readonly v: 1;
  readonly seq: number;
  readonly at: string;
  readonly run: string;
} & EventData;

/** The public form of an event. */
export function toWireEvent(run: string, event: JournalEvent): WireEvent {
  const { seq, at, ...data } = event;
  return { v: EVENT_FORMAT_VERSION, seq, at: toIsoTime(at), run, ...data };
}
