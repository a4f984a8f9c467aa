/**
 * Owns what each agent has not dealt with yet. An item enters with its message, is taken by a turn, and
 * leaves when it is acked or given up; nothing else removes it. A shadow's items wake it only when it is called.
 *
 * M1 Items stand in the order of the journal, also after they came back from a turn.
 * M2 An item that has left never comes back: acks do not move backward.
 */
import type { AgentSpec } from "../../contracts/agent.ts";
import type { Message } from "../../contracts/message.ts";
import { RESERVED_AGENT_IDS } from "../../foundation/ids.ts";
import { agentKey, findAgent, findMailbox } from "../state/agent-lookup.ts";
import { findRecent, isKnownMessage } from "../state/message-source.ts";
import type { Mailbox, MailboxItem } from "../state/message-state.ts";
import type { RunState } from "../state/run-state.ts";
import { startsAgain } from "../state/starts-again.ts";
import type { FoldTable } from "./fold-table.ts";

/** Inboxes of agents, spawned already or not. */
export const mailboxTable: FoldTable = {
  "message-posted": (state, event) => {
    if (isKnownMessage(state, event.id)) return;
    for (const agent of event.to ?? event.mentions) deliver(state, agent, { item: event });
  },
  "message-copied": (state, { agent, id, of, direction }) => {
    const message = findRecent(state, id);
    if (message !== undefined) deliver(state, agent, { item: message, copy: { of, direction } });
  },
  "shadow-called": (state, { agent, id }) => {
    const mailbox = findMailbox(state, agent);
    const item = mailbox?.items.get(id);
    if (mailbox === undefined || item === undefined || item.wakes) return;
    if (item.turn === undefined) mailbox.waking += 1;
    item.wakes = true;
  },
  "turn-started": (state, event) => {
    const ids = event.items.flatMap((item) => (item.kind === "message" ? [item.id] : []));
    if (ids.length > 0) take(state, event, ids);
  },
  "message-delivered": (state, event) => take(state, event, event.ids),
  "turn-completed": (state, event) =>
    giveBack(state, event, (mailbox, item) => {
      if (event.stopReason === "end_turn") remove(mailbox, item);
      else item.attempts += 1;
    }),
  "turn-failed": (state, event) =>
    giveBack(state, event, (_, item) => {
      item.attempts += 1;
    }),
  "turn-interrupted": (state, event) =>
    giveBack(state, event, (_, item) => {
      // Only attempts that failed count, not those that are started again.
      if (!startsAgain(event.reason)) item.attempts += 1;
    }),
  "message-acked": (state, event) => {
    const mailbox = findMailbox(state, event.agent);
    for (const id of event.ids) {
      const item = mailbox?.items.get(id);
      if (mailbox !== undefined && item !== undefined) remove(mailbox, item);
    }
  },
  "message-dead": (state, { agent, id, attempts, seq }) => {
    const mailbox = findMailbox(state, agent);
    const item = mailbox?.items.get(id);
    if (mailbox === undefined || item === undefined) return;
    remove(mailbox, item);
    const { from, copy } = item;
    state.deadLetters.push({ agent, id, attempts, seq, from, isCopy: copy !== undefined });
  },
};

interface TurnReference {
  readonly agent: string;
  readonly turn: number;
}

interface Delivery {
  readonly item: Pick<MailboxItem, "id" | "seq"> &
    Pick<Message, "from" | "signals"> & { readonly key?: string };
  readonly copy?: MailboxItem["copy"];
}

function deliver(state: RunState, agent: string, { item: message, copy }: Delivery): void {
  const { id, seq, from } = message;
  const key = agentKey(agent);
  if (RESERVED_AGENT_IDS.has(key)) return;
  const mailbox = state.mailboxes.get(key) ?? createMailbox(agent);
  state.mailboxes.set(key, mailbox);
  if (mailbox.items.has(id)) return;
  const wakes = isWaking(findAgent(state, agent)?.spec, message);
  const item: MailboxItem = { id, seq, from, copy, wakes, attempts: 0, turn: undefined };
  mailbox.items.set(id, item);
  countPending(mailbox, item, 1);
}

const QUIET_SIGNALS: ReadonlySet<string> = new Set(["ack", "progress"]);

/** Whether a message starts a turn of its reader: a shadow waits until it is called, others as they are told to. */
function isWaking(spec: AgentSpec | undefined, { from, signals, key }: Delivery["item"]): boolean {
  if (spec?.shadow !== undefined || spec?.wakes === "never") return false;
  if (spec?.wakes === undefined) return true;
  // How an agent ended that it has spawned: nobody else tells it.
  if (from === "system" && key?.includes("/ending/") === true) return true;
  const isQuiet = signals.length > 0 && signals.every((kind) => QUIET_SIGNALS.has(kind));
  return from !== "system" && !isQuiet;
}

function countPending(mailbox: Mailbox, item: MailboxItem, change: 1 | -1): void {
  mailbox.pending += change;
  if (item.wakes) mailbox.waking += change;
}

function take(state: RunState, { agent, turn }: TurnReference, ids: readonly string[]): void {
  const mailbox = findMailbox(state, agent);
  if (mailbox === undefined) return;
  const taken = mailbox.takenByTurn.get(turn) ?? [];
  for (const id of ids) {
    const item = mailbox.items.get(id);
    if (item === undefined || item.turn !== undefined) continue;
    item.turn = turn;
    countPending(mailbox, item, -1);
    taken.push(id);
  }
  if (taken.length > 0) mailbox.takenByTurn.set(turn, taken);
}

/** Ends a turn's hold on its items; `settle` says what that means for each. */
function giveBack(
  state: RunState,
  { agent, turn }: TurnReference,
  settle: (mailbox: Mailbox, item: MailboxItem) => void,
): void {
  const mailbox = findMailbox(state, agent);
  for (const id of mailbox?.takenByTurn.get(turn) ?? []) {
    const item = mailbox?.items.get(id);
    if (mailbox === undefined || item === undefined) continue;
    item.turn = undefined;
    countPending(mailbox, item, 1);
    settle(mailbox, item);
  }
  mailbox?.takenByTurn.delete(turn);
}

function remove(mailbox: Mailbox, item: MailboxItem): void {
  mailbox.items.delete(item.id);
  if (item.turn === undefined) countPending(mailbox, item, -1);
}

function createMailbox(agent: string): Mailbox {
  return { agent, items: new Map(), takenByTurn: new Map(), pending: 0, waking: 0 };
}
