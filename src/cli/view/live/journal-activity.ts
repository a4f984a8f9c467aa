import type { JournalEvent } from "../../../contracts/events/event.ts";
import type { ActivityLog } from "./turn-activity.ts";

/** Tells a log what the journal says of running turns: which tool each has called last. */
export function observeJournal(log: ActivityLog, event: JournalEvent): void {
  log.observe(event);
  if (event.type === "tool-called") {
    const { agent, turn, call, tool, input } = event;
    log.update(agent, { type: "tool-call", call, tool, input }, turn);
  }
  if (event.type === "tool-returned") {
    const { agent, turn, call, tool, isError, result } = event;
    log.update(agent, { type: "tool-result", call, tool, isError, result }, turn);
  }
}
