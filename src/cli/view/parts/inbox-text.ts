import type { InboxItem } from "../../../fold/state/inbox-state.ts";
import { toAskedCall } from "../../../foundation/asked-call.ts";
import { toVisibleText } from "../../../foundation/printable.ts";

/**
 * What a person is to decide on: an item's text, and for a tool call its input. Characters that a terminal would obey or
 * hide are shown instead.
 */
export function textOfItem(item: InboxItem): string {
  if (item.kind !== "permission") return toVisibleText(item.text);
  const { line } = toAskedCall(item.tool, item.input);
  return toVisibleText(item.known === undefined ? line : `${line} (${item.known})`);
}

/** What the text of a tool call leaves out: the diff of an edit, the lines of a long command; empty for all else. */
export function callLinesOf(item: InboxItem): readonly string[] {
  if (item.kind !== "permission") return [];
  return toAskedCall(item.tool, item.input).lines.map((line) => toVisibleText(line));
}
