import type { InboxItem } from "../../../fold/state/inbox-state.ts";
import { waitingItems } from "../../../fold/waiting.ts";
import { toPrintable } from "../../../foundation/printable.ts";
import { wholeLine } from "../parts/excerpt.ts";
import { textOfItem } from "../parts/inbox-text.ts";
import type { LiveModel } from "./live-model.ts";
import type { LiveRow } from "./live-row.ts";
import { formatAge } from "./row-times.ts";

/** A row for each thing that a person is asked for, oldest first, then what the runs below ask. */
export function itemRows(model: LiveModel): readonly LiveRow[] {
  const { inbox } = model.state;
  const own = waitingItems(model.state).flatMap(({ id }) => {
    const item = inbox.get(id);
    return item === undefined ? [] : [ownRow(item, model)];
  });
  return [...own, ...rowsBelow(model)];
}

function ownRow(item: InboxItem, model: LiveModel): LiveRow {
  const agent = item.agent ?? model.plan.find(({ id }) => id === item.step)?.agent;
  const path = pathOf(item, model);
  return { ...toRow(item, model), name: toPrintable(path ?? agent ?? "run"), agent, path };
}

/** They stand at the step that waits for the run that asks; whom that works with is nobody here. */
function rowsBelow(model: LiveModel): readonly LiveRow[] {
  const { children, askingChildren } = model.state;
  return [...askingChildren].flatMap((op) => {
    const { path, workflow = "run", waitingFor = [] } = children.get(op) ?? {};
    return waitingFor.flatMap(({ id }) => {
      const item = model.below.get(id)?.item;
      if (item === undefined) return [];
      const name = toPrintable(path ?? workflow);
      return [{ ...toRow(item, model), name, agent: undefined, path }];
    });
  });
}

function toRow(
  item: InboxItem,
  { nowMs, sent }: LiveModel,
): Omit<LiveRow, "name" | "agent" | "path"> {
  const isSent = sent.has(item.id);
  return {
    id: `item:${item.id}`,
    group: "needs",
    sign: "attention",
    who: item.kind,
    time: formatAge(nowMs - item.createdAt),
    text: isSent ? "decided, on its way" : `"${wholeLine(textOfItem(item))}"`,
    item: isSent ? undefined : item,
    isTicking: true,
  };
}

/** The place of the step that asks: an item has its id, which several places share inside of a list. */
function pathOf({ step }: InboxItem, { state }: LiveModel): string | undefined {
  const { byPath } = state.steps;
  if (step === undefined || byPath.has(step)) return step;
  const open = [...byPath.values()].filter(
    (each) => each.step === step && each.status === "running",
  );
  const [only, ...others] = open;
  return only === undefined || others.length > 0 ? step : only.path;
}
