import { toPrintable } from "../../../foundation/printable.ts";
import { toSteady, wrapTo } from "../../terminal/measure.ts";
import { textOfItem } from "../parts/inbox-text.ts";
import type { LiveStyle } from "./live-style.ts";
import { type PaneSize, paneTextColumns, textLines } from "./pane.ts";
import type { TextDraft } from "./text-draft.ts";
import type { Purpose } from "./view-state.ts";

const MAX_ASKED_LINES = 6;

/** What a text is for, and the text itself around the cursor. */
export function editorLines(
  { purpose, draft }: { readonly purpose: Purpose; readonly draft: TextDraft },
  size: PaneSize,
  style: LiveStyle,
): readonly string[] {
  const columns = paneTextColumns(size);
  const askedSize = { columns, rows: Math.min(MAX_ASKED_LINES, size.rows - 2) };
  const asked = askedLines(purpose, askedSize, style);
  const room = Math.max(1, size.rows - asked.length - 1);
  return [
    ...asked,
    style.paint(titleOf(purpose), "hint"),
    ...draftLines(draft, { columns, rows: room }, style),
  ];
}

function askedLines(
  purpose: Purpose,
  { columns, rows }: PaneSize,
  { glyphs }: LiveStyle,
): readonly string[] {
  if (purpose.kind === "message" || rows < 1) return [];
  const lines = textLines(textOfItem(purpose.item), columns);
  if (lines.length <= rows) return lines;
  const more = lines.length - rows + 1;
  return [...lines.slice(0, rows - 1), `${glyphs.ellipsis} ${more} more lines`];
}

function titleOf(purpose: Purpose): string {
  switch (purpose.kind) {
    case "answer":
      return `your answer to ${purpose.item.id}`;
    case "approve":
      return `what do you want to say with your approval of ${purpose.item.id}?`;
    case "reject":
      return `why do you reject ${purpose.item.id}?`;
    case "message":
      return `message to @${toPrintable(purpose.agent)}`;
  }
}

/** The lines of a draft that stand around its cursor. */
export function draftLines(
  { before, after }: TextDraft,
  { columns, rows }: PaneSize,
  { signs, paint }: LiveStyle,
): readonly string[] {
  const show = (characters: readonly string[]) =>
    characters
      .join("")
      .split("\n")
      .map((line) => toSteady(toPrintable(line)))
      .join("\n");
  const cursor = paint(signs.cursor, "message");
  const head = wrapTo(`${show(before)}${cursor}`, columns);
  const all = wrapTo(`${show(before)}${cursor}${show(after)}`, columns);
  const end = Math.min(all.length, Math.max(rows, head.length));
  return all.slice(Math.max(0, end - rows), end);
}
