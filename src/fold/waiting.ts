import type { RunStatus, WaitingItem } from "../contracts/run.ts";
import { findAgent, findInterruptedTurn, findMailbox } from "./state/agent-lookup.ts";
import type { InboxItem } from "./state/inbox-state.ts";
import type { OpenOperation } from "./state/operation-state.ts";
import type { RunState } from "./state/run-state.ts";

/**
 * Whether all that could go on waits for a person: something is asked, no operation does work but turns
 * that wait for a permission or an answer and children that wait, and no turn works. Nothing waits for what a
 * shadow asks.
 */
export function isWaitingForPerson(state: RunState): boolean {
  const { activity } = state;
  return (
    isAnythingAsked(state) &&
    activity.work === activity.blockedPrompts + activity.blockedChildren &&
    activity.runningTurns === activity.waitingTurns &&
    !isSpawnedAboutToWork(state)
  );
}

/** Whether an agent that others may wait for has something to do and only waits for its place. */
function isSpawnedAboutToWork(state: RunState): boolean {
  for (const { id, spec, status, turns } of state.agents.values()) {
    if (spec.spawnedBy === undefined || status === "exited" || turns.size > 0) continue;
    if ((findMailbox(state, id)?.waking ?? 0) > 0) return true;
  }
  return false;
}

function isAnythingAsked(state: RunState): boolean {
  if (state.activity.blockedChildren > 0) return true;
  if (state.shadows.size === 0) return state.inbox.size > 0;
  return [...state.inbox.values()].some((item) => !isAskedByShadow(state, item));
}

/** Whether an item is what a shadow asks. */
export function isAskedByShadow(state: RunState, { agent }: Pick<InboxItem, "agent">): boolean {
  return agent !== undefined && findAgent(state, agent)?.spec.shadow !== undefined;
}

/** Operations that are not at work themselves: turns are looked at on their own. */
const STILL_KINDS: ReadonlySet<string> = new Set([
  "turn",
  "spawn",
  "approval",
  "question",
  "next",
  "woken",
  "quiescent",
  "deadline",
  "sleep",
  // A wait for something outside of the run, such as a file that a person may write.
  "watch",
]);

/**
 * Whether no turn works, except those that wait for a person, and no step of the program does. `isOpStill` knows
 * more of an operation than its kind says: that of a child run.
 */
export function isStill(
  { activity, operations }: RunState,
  isOpStill: (operation: OpenOperation) => boolean = () => false,
): boolean {
  if (activity.runningTurns > activity.waitingTurns) return false;
  return [...operations.open.values()].every(
    (operation) => STILL_KINDS.has(operation.kind) || isOpStill(operation),
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

/** Whether a process let go of the run, which is not over. */
export function isLetGo({ phase }: RunState): boolean {
  return phase.status === "suspended";
}

/**
 * What only a person can move on, oldest first, at most `limit`: the inbox and what turns had asked that
 * were cut off, without what has been decided already, then what child runs ask, and what a suspension names
 * beyond it.
 */
export function waitingItems(state: RunState, limit: number = Infinity): readonly WaitingItem[] {
  const decided = decidedIds(state);
  const items: WaitingItem[] = [];
  for (const item of askedItems(state)) {
    if (items.length >= limit) return items;
    if (!decided.has(item.id)) items.push(toWaitingItem(item));
  }
  const asked = childItems(state);
  for (const item of asked.slice(0, limit - items.length)) items.push(item);
  const inChildren = new Set(asked.map(({ id }) => id));
  for (const item of state.phase.status === "suspended" ? state.phase.waitingFor : []) {
    if (items.length >= limit) return items;
    const isKnown = inChildren.has(item.id) || findItem(state, item.id) !== undefined;
    if (!isKnown && !state.resolved.has(item.id)) items.push(item);
  }
  return items;
}

/** What child runs ask people for, in the order in which they began to. */
export function childItems({ children, askingChildren }: RunState): readonly WaitingItem[] {
  return [...askingChildren].flatMap((op) => children.get(op)?.waitingFor ?? []);
}

/** An open item with all that is known about it; undefined for one that only a suspension names. */
export function findItem(state: RunState, id: string): InboxItem | undefined {
  return state.inbox.get(id) ?? state.suspendedAsks.get(id);
}

/** An inbox item as listings show it. */
export function toWaitingItem(item: InboxItem): WaitingItem {
  return {
    id: item.id,
    kind: item.kind,
    text: item.text,
    ...(item.step === undefined ? {} : { step: item.step }),
    ...(item.agent === undefined ? {} : { agent: item.agent }),
  };
}

/** Whether the turn of an operation was cut off while it waited for a person who has not answered yet. */
export function isAsking(state: RunState, op: string): boolean {
  const turn = findInterruptedTurn(state, op);
  return turn !== undefined && isTurnAsking(state, turn);
}

/** Whether a turn, running or interrupted, waits for a person. */
export function isTurnAsking(
  state: RunState,
  turn: { readonly agent: string; readonly turn: number },
): boolean {
  return [...state.suspendedAsks.values(), ...state.inbox.values()].some(
    (item) => item.agent === turn.agent && item.turn === turn.turn,
  );
}

function askedItems({ inbox, suspendedAsks }: RunState): Iterable<InboxItem> {
  if (suspendedAsks.size === 0) return inbox.values();
  const items = [...suspendedAsks.values(), ...inbox.values()];
  return items.sort((left, right) => left.createdAt - right.createdAt || left.seq - right.seq);
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

/** Whether a person may approve something else than what was shown. */
export function isEditable(item: InboxItem | undefined): boolean {
  return item?.kind === "approval" && item.show !== undefined;
}
