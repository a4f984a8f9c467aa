import { findAgent } from "../fold/state/agent-lookup.ts";
import { KNOWN_WRITES } from "../fold/state/message-state.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { toIsoTime } from "../foundation/iso-time.ts";
import { messageRateExceeded } from "./errors.ts";

/** Most messages and changes of documents, taken together, of one agent within any minute; and most signals of a turn. */
export const MAX_MESSAGES_PER_MINUTE = KNOWN_WRITES;

const MINUTE_MS = 60_000;

/**
 * Raises MESSAGE_RATE_EXCEEDED when an agent has written as much as it may within a minute. What is not an
 * agent, `system` and `user`, has no such limit. The cost does not depend on how much was written.
 */
export function assertMaySend(state: RunState, from: string, nowMs: number): void {
  if (findAgent(state, from) !== undefined)
    assertRate(from, state.messages.writtenAt.get(from) ?? [], nowMs);
}

/** When an agent that has written as much as it may within a minute may write again, in milliseconds since the epoch; undefined: now. */
export function maySendAgainAt(state: RunState, from: string, nowMs: number): number | undefined {
  return againAt(state.messages.writtenAt.get(from) ?? [], nowMs);
}

/** Raises MESSAGE_RATE_EXCEEDED when an agent has done at these times, in milliseconds since the epoch, as much as it may within a minute. */
export function assertRate(from: string, times: readonly number[], nowMs: number): void {
  const againAtMs = againAt(times, nowMs);
  if (againAtMs === undefined) return;
  throw messageRateExceeded({
    from,
    maxPerMinute: MAX_MESSAGES_PER_MINUTE,
    againAt: toIsoTime(againAtMs),
    afterMs: againAtMs - nowMs,
  });
}

function againAt(times: readonly number[], nowMs: number): number | undefined {
  const oldestAt = times.at(-MAX_MESSAGES_PER_MINUTE);
  if (oldestAt === undefined) return undefined;
  const leftMs = oldestAt + MINUTE_MS - nowMs;
  // A clock that was set back since must not silence anybody for longer than the minute.
  return leftMs <= 0 || leftMs > MINUTE_MS ? undefined : oldestAt + MINUTE_MS;
}
