import { findAgent } from "../fold/agent-lookup.ts";
import type { RunState } from "../fold/run-state.ts";
import { toIsoTime } from "../foundation/iso-time.ts";
import { messageRateExceeded } from "./errors.ts";

/** Most messages of one agent within any minute. */
export const MAX_MESSAGES_PER_MINUTE = 120;

const MINUTE_MS = 60_000;

/**
 * Raises MESSAGE_RATE_EXCEEDED when an agent has posted as much as it may within a minute. What is not an
 * agent, `system` and `user`, has no such limit. The cost does not depend on how much was posted.
 */
export function assertMaySend(state: RunState, from: string, nowMs: number): void {
  if (findAgent(state, from) === undefined) return;
  const oldest = state.messages.bySender.get(from)?.at(-MAX_MESSAGES_PER_MINUTE);
  if (oldest === undefined) return;
  const againAt = Date.parse(oldest.timestamp) + MINUTE_MS;
  // A clock that was set back since must not silence anybody for longer than the minute.
  const leftMs = againAt - nowMs;
  if (leftMs <= 0 || leftMs > MINUTE_MS) return;
  throw messageRateExceeded({
    from,
    maxPerMinute: MAX_MESSAGES_PER_MINUTE,
    againAt: toIsoTime(againAt),
    afterMs: leftMs,
  });
}
