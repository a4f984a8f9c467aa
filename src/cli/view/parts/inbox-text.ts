import type { InboxItem } from "../../../fold/state/inbox-state.ts";
import { toVisibleText } from "../../../foundation/printable.ts";

/**
 * What a person is to decide on: an item's text, and for a tool call all of its input. Characters that a
 * terminal would obey or hide are shown instead.
 */
export function textOfItem(item: InboxItem): string {
  if (item.kind !== "permission") return toVisibleText(item.text);
  return toVisibleText(`${item.tool} ${JSON.stringify(item.input)}`);
}
