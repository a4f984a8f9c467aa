import type { RunStatus, WaitingItem } from "../contracts/run.ts";
import type { RunState } from "./run-state.ts";
import type { InboxItem } from "./state/inbox-state.ts";

/**
 * Whether all that could go on waits for a person: something is asked, no operation does work but turns
 * that wait for a permission or an answer, and no turn works.
 */
export function isWaitingForPerson({ inbox, activity }: RunState): boolean {
  return (
    inbox.size > 0 &&
    activity.work === activity.blockedPrompts &&
    activity.runningTurns === activity.waitingTurns
  );
}

/** What the run's state is called wherever runs are listed. */
export function runStatus(state: RunState): RunStatus {
  const { phase } = state;
  switch (phase.status) {
    case "created":
      return "running";
    case "running":
      return isWaitingForPerson(state) ? "waiting" : "running";
    case "suspended":
      return phase.reason === "interrupted" ? "suspended" : phase.reason;
    case "ended":
      return phase.outcome;
  }
}

/** Whether the run is over for good. */
export function isOver({ phase }: RunState): boolean {
  return phase.status === "ended" && !phase.resumable;
}

/**
 * What only a person can move on, oldest first, at most `limit`: the inbox without what has been decided
 * already, and what a suspension names beyond it (a pause, the items of child runs).
 */
export function waitingItems(state: RunState, limit: number = Infinity): readonly WaitingItem[] {
  const decided = decidedIds(state);
  const items: WaitingItem[] = [];
  for (const item of state.inbox.values()) {
    if (items.length >= limit) return items;
    if (!decided.has(item.id)) items.push(toWaitingItem(item));
  }
  for (const item of state.phase.status === "suspended" ? state.phase.waitingFor : []) {
    if (items.length >= limit) return items;
    if (!state.inbox.has(item.id) && !state.resolved.has(item.id)) items.push(item);
  }
  return items;
}

/** An inbox item as listings show it. */
export function toWaitingItem(item: InboxItem): WaitingItem {
  return {
    id: item.id,
    kind: item.kind,
    text: item.text,
    ...(item.step === undefined ? {} : { step: item.step }),
    ...(item.kind === "approval" ? {} : { agent: item.agent }),
  };
}

function decidedIds(state: RunState): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { command } of state.commands) {
    if (command.kind === "resolve-approval") ids.add(command.approval);
    if (command.kind === "resolve-permission" || command.kind === "answer-question")
      ids.add(command.id);
  }
  return ids;
}
