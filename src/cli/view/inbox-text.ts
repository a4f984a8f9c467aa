import type { InboxItem } from "../../fold/state/inbox-state.ts";

/** The text of an inbox item is short; whoever decides on a tool call has to see all of it. */
export function textOfItem(item: InboxItem): string {
  return item.kind === "permission" ? `${item.tool} ${JSON.stringify(item.input)}` : item.text;
}
