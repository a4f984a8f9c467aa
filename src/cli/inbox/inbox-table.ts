import { formatDuration } from "../../foundation/duration.ts";
import type { Settings } from "../settings.ts";
import { alignColumns } from "../table.ts";
import { answerCommands } from "../view/answer-commands.ts";
import { wholeLine } from "../view/excerpt.ts";
import type { InboxEntry } from "./list-inbox.ts";

/** The inbox for people: one line per thing, and the command that answers it. */
export function inboxLines(
  items: readonly InboxEntry[],
  { nowMs, settings }: { readonly nowMs: number; readonly settings: Settings },
): readonly string[] {
  if (items.length === 0) return ["nothing needs you"];
  const rows = alignColumns(
    items.map((item) => [
      item.id,
      item.kind,
      `${item.workflow}@${item.instance}`,
      placeOf(item),
      `"${wholeLine(item.text)}"`,
      formatDuration(Math.max(0, nowMs - Date.parse(item.createdAt))),
    ]),
  );
  const separator = ` ${settings.glyphs.dot} `;
  return items.flatMap((item, index) => [
    rows[index] ?? "",
    `  ${answerCommands(item, item.run).join(separator)}`,
  ]);
}

function placeOf({ step, agent }: InboxEntry): string {
  if (agent !== null) return `from ${agent}`;
  return step === null ? "" : `step ${step}`;
}
