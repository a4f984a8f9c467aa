import type { Message } from "../contracts/message.ts";
import { findMailbox } from "./agent-lookup.ts";
import type { RunState } from "./run-state.ts";

/** A message that waits in an inbox, with the number of turns that took it and did not end well. */
export interface PendingMessage {
  readonly message: Message;
  readonly attempts: number;
}

/** What waits in the agent's inbox, in the order of the journal, at most `limit`. */
export function pendingMessages(
  state: RunState,
  agent: string,
  limit: number = Infinity,
): readonly PendingMessage[] {
  const mailbox = findMailbox(state, agent);
  const found: PendingMessage[] = [];
  if (mailbox === undefined || mailbox.pending === 0) return found;
  for (const item of mailbox.items.values()) {
    if (found.length >= limit) break;
    const message = state.messages.byId.get(item.id);
    if (item.turn === undefined && message !== undefined)
      found.push({ message, attempts: item.attempts });
  }
  return found;
}

/** Whether anything waits in the agent's inbox. */
export function hasPendingMessages(state: RunState, agent: string): boolean {
  return (findMailbox(state, agent)?.pending ?? 0) > 0;
}

/** The part of a list in seq order that comes after `seq`, at most `limit`; found by halving. */
export function messagesAfter(
  messages: readonly Message[],
  seq: number,
  limit: number = Infinity,
): readonly Message[] {
  let low = 0;
  let high = messages.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((messages[middle]?.seq ?? Infinity) <= seq) low = middle + 1;
    else high = middle;
  }
  return messages.slice(low, Math.min(messages.length, low + limit));
}
