import type { JournalEvent } from "../contracts/events/event.ts";

/**
 * Whether an event needs no commit of its own: it tells of something that has happened already, and whoever takes the
 * run over without knowing of it does the same as with it.
 */
export function ridesAlong(event: JournalEvent): boolean {
  switch (event.type) {
    case "session-ended":
      return true;
    case "agent-ready":
      // The next owner goes on with the session by that token.
      return event.resume === undefined;
    default:
      return false;
  }
}
