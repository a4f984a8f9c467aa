import type { InboxItem } from "../../../fold/state/inbox-state.ts";
import { waitingItems } from "../../../fold/waiting.ts";
import { toPrintable } from "../../../foundation/printable.ts";
import { wholeLine } from "../excerpt.ts";
import { textOfItem } from "../inbox-text.ts";
import type { LiveModel } from "./live-model.ts";
import type { LiveRow } from "./live-row.ts";
import { formatAge } from "./row-times.ts";

/** A row for each thing that a person is asked for, oldest first. */
export function itemRows(model: LiveModel): readonly LiveRow[] {
  const { inbox } = model.state;
  return waitingItems(model.state).flatMap(({ id }) => {
    const item = inbox.get(id);
    return item === undefined ? [] : [toRow(item, model)];
  });
}

function toRow(item: InboxItem, { nowMs, sent, plan }: LiveModel): LiveRow {
  const isSent = sent.has(item.id);
  const agent = item.agent ?? plan.find(({ id }) => id === item.step)?.agent;
  return {
    id: `item:${item.id}`,
    group: "needs",
    sign: "attention",
    name: toPrintable(item.step ?? agent ?? "run"),
    who: item.kind,
    time: formatAge(nowMs - item.createdAt),
    text: isSent ? "decided, on its way" : `"${wholeLine(textOfItem(item))}"`,
    agent,
    path: item.step,
    item: isSent ? undefined : item,
    isTicking: true,
  };
}
