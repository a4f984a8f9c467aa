import type { TurnInterrupted } from "../../contracts/events/agent-events.ts";

/** Whether a turn that was cut off for this reason is started again with the same items, number and key. */
export function startsAgain(reason: TurnInterrupted["reason"]): boolean {
  return reason === "owner-died" || reason === "suspended" || reason === "rate-limited";
}
